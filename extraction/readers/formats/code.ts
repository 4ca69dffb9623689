/** Source code -> one fenced block of its language. */

import type { Content } from '../../content.ts';
import { fenced } from '../../markdown/write.ts';
import { codeEndings, languageOfName, languageOfShebang } from '../code/languages.ts';
import type { TextFormat } from './format.ts';

export const code: TextFormat = {
  kind: 'text',
  name: 'code',
  label: 'source code',
  mediaTypes: [
    'text/css',
    'text/javascript',
    'application/javascript',
    'application/x-javascript',
    'application/typescript',
    'application/sql',
    'application/toml',
    'application/x-sh',
    'application/x-httpd-php',
    'text/x-python',
    'text/x-java-source',
    'text/x-csrc',
    'text/x-c++src',
    'text/x-diff',
    'text/x-sh',
    'application/x-tex',
  ],
  extensions: codeEndings,
  parser: null,
  emptyMessage: 'The file contains only white space.',
  // The file name precedes the content: a PHP file may begin like an HTML page.
  detect({ text, filename }) {
    return languageOfName(filename ?? '') !== null || languageOfShebang(text) !== null ? 'sure' : null;
  },
  read(sample) {
    const text = sample.text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
    const name = nameOf(sample);
    const title = name?.split(/[\\/]/).at(-1) ?? null;
    return { markdown: text === '' ? '' : fenced(text, languageOf(sample)), title, languageHint: null };
  },
};

function languageOf(sample: Content & { text: string }): string {
  const subtype = /^(?:text|application)\/(?:x-)?([\w+-]+)/.exec(sample.contentType?.toLowerCase() ?? '')?.[1] ?? '';
  const byType = languageOfName(`.${subtype}`) ?? subtypes[subtype] ?? '';
  return languageOfName(nameOf(sample) ?? '') ?? languageOfShebang(sample.text) ?? byType;
}

/** Languages of media subtypes that are not file extensions. */
const subtypes: Readonly<Record<string, string>> = {
  javascript: 'javascript',
  typescript: 'typescript',
  'httpd-php': 'php',
  python: 'python',
  'java-source': 'java',
  csrc: 'c',
  'c++src': 'cpp',
};

function nameOf({ filename, url }: Content): string | null {
  if (filename !== null) return filename;
  return url !== null && URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) || null : null;
}
