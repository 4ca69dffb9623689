/** YAML -> Markdown as for JSON; several documents below each other. */
import { SourceError } from '../../../contract/errors.ts';
import type { Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { fenced } from '../../markdown/write.ts';
import type { TextFormat } from './format.ts';
import { jsonToMarkdown } from './json.ts';

/** Limit of resolved aliases: a "billion laughs" document repeats one anchor thousands of times. */
const MAX_ALIAS_COUNT = 1_000;

export const yaml: TextFormat = {
  kind: 'text',
  name: 'yaml',
  label: 'a YAML document',
  mediaTypes: ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', 'text/vnd.yaml'],
  extensions: ['yaml', 'yml'],
  parser: 'yaml',
  emptyMessage: 'The YAML has no values.',
  detect: ({ text }) => (looksLikeYaml(text) ? 'likely' : null),
  read: ({ text }, limits) => yamlToMarkdown(text, limits),
};

/** Template syntax of Helm, Jinja and Ansible, with which the text is not valid YAML. */
const template = /\{\{[\s\S]{0,2000}?\}\}|\{%[\s\S]{0,2000}?%\}/;

function asSourceCode(text: string): Reading {
  const message = 'The YAML is a template, so it is shown as source code.';
  return {
    markdown: fenced(text.trim(), 'yaml'),
    title: null,
    languageHint: null,
    warnings: [{ code: 'yaml_template', message }],
  };
}

/** @throws SourceError `file_damaged` with line and column, `extraction_limit` for nesting and for repeated aliases */
async function yamlToMarkdown(text: string, limits: Limits): Promise<Reading> {
  const { Lexer, parseAllDocuments } = await import('yaml');
  assertNesting(new Lexer().lex(text), limits);
  const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false, merge: true });
  const values: unknown[] = [];
  // For a text without documents, parseAllDocuments returns an object that is not an array.
  for (const document of Array.isArray(documents) ? documents : []) {
    const error = document.errors[0];
    if (error !== undefined) {
      if (template.test(text)) return asSourceCode(text);
      const place = error.linePos?.[0];
      const where = place === undefined ? '' : ` at line ${place.line}, column ${place.col}`;
      throw new SourceError('file_damaged', `The YAML cannot be read: it has an error${where}.`, { cause: error });
    }
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
    } catch (cause) {
      if (cause instanceof RangeError) throw cause;
      throw new SourceError('extraction_limit', `The YAML has more than ${MAX_ALIAS_COUNT} repetitions by aliases.`, {
        cause,
      });
    }
    if (value !== null && value !== undefined) values.push(value);
  }
  if (values.length === 0) return { markdown: '', title: null, languageHint: null };
  const readings = values.map((value) => jsonToMarkdown(value, limits));
  return {
    markdown: readings.map(({ markdown }) => markdown).join('\n\n---\n\n'),
    title: readings[0]?.title ?? null,
    languageHint: null,
  };
}

/** Control tokens of the lexer: start of a document, end of a flow collection, start of a scalar. */
const lexerMarks = new Set(['\u0002', '\u0018', '\u001F']);

/** Checks the depth by the lexer's tokens: the parser is recursive and ends the process when the stack overflows. */
function assertNesting(tokens: Iterable<string>, limits: Limits): void {
  const columns: number[] = [];
  let column = 0;
  let flow = 0;
  let fresh = true;
  for (const token of tokens) {
    if (token.startsWith('\n') || token.startsWith('\r')) {
      column = 0;
      fresh = true;
      continue;
    }
    if (lexerMarks.has(token)) continue;
    if (!/^[ \t]/.test(token)) {
      if (fresh || token === '-' || token === '?') {
        while ((columns.at(-1) ?? -1) >= column) columns.pop();
        columns.push(column);
      }
      fresh = false;
      if (token === '[' || token === '{') flow += 1;
      else if (token === ']' || token === '}') flow -= 1;
      assertWithin(limits, 'nesting', columns.length + Math.max(0, flow));
    }
    column += token.length;
  }
}

/** True for a mapping with an indented value below one of its keys, and with YAML syntax only. */
function looksLikeYaml(text: string): boolean {
  if (/^%YAML \d/.test(text)) return true;
  const lines = text
    .slice(0, 64 * 1024)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  const structural = /^(?:---|\.\.\.|\s*(?:- )*[\w.$/"'-]{1,80}:(?:\s.*)?|\s*- .*)$/;
  const nests = lines.some(
    (line, at) => /^\s*[\w.-]+:\s*$/.test(line) && /^(?:\s+[\w."'/-]+:|\s*- )/.test(lines[at + 1] ?? ''),
  );
  return lines.length >= 4 && nests && lines.every((line) => structural.test(line) || /^\s{2,}\S/.test(line));
}
