/** Code: the language it is written in, and what it defines. */
import { type CodeSymbol, findSymbols } from './symbols.ts';

/** What fences call a language, by the name that it is given here. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash', 'sh', 'shell', 'zsh', 'ksh', 'console', 'shell-session', 'shellscript'],
  c: ['c', 'h'],
  cpp: ['cpp', 'c++', 'cc', 'cxx', 'hpp'],
  csharp: ['csharp', 'c#', 'cs'],
  css: ['css'],
  go: ['go', 'golang'],
  html: ['html', 'htm', 'xhtml'],
  java: ['java'],
  javascript: ['javascript', 'js', 'jsx', 'mjs', 'cjs', 'node'],
  json: ['json', 'jsonc', 'json5'],
  kotlin: ['kotlin', 'kt', 'kts'],
  markdown: ['markdown', 'md'],
  php: ['php'],
  powershell: ['powershell', 'ps1', 'pwsh'],
  python: ['python', 'py', 'python3', 'py3'],
  ruby: ['ruby', 'rb'],
  rust: ['rust', 'rs'],
  scala: ['scala'],
  sql: ['sql', 'postgresql', 'postgres', 'mysql', 'plpgsql', 'sqlite'],
  swift: ['swift'],
  typescript: ['typescript', 'ts', 'tsx', 'mts', 'cts'],
  xml: ['xml'],
  yaml: ['yaml', 'yml'],
};
const byAlias = new Map(Object.entries(aliases).flatMap(([name, list]) => list.map((alias) => [alias, name])));
/** Fences that name no language. */
const plain = new Set(['text', 'txt', 'plain', 'plaintext', 'none', 'output']);

/** Enough of the text to tell a language by. */
const SAMPLE_LENGTH = 16 * 1024;
const MIN_SCORE = 2;

/**
 * What speaks for a language, each pattern counting once with its weight. One that no other language has is enough;
 * what several have takes two.
 */
const signs: readonly (readonly [language: string, weight: number, pattern: RegExp])[] = [
  ['python', 2, /^(?:async )?def \w+\([^\n]*\)(?: ?-> ?[^\n:]+)?:\s*(?:#[^\n]*)?$/m],
  ['python', 2, /^class \w+(?:\([^)\n]*\))?:\s*$/m],
  ['python', 2, /^from [\w.]+ import \w/m],
  ['python', 1, /^import [\w.]+(?: as \w+)?\s*$/m],
  ['python', 1, /^\s*(?:if|for|while|elif|else|try|except|with)\b[^\n{};]*:\s*$/m],
  ['python', 1, /^\s*print\([^\n]*\)\s*$/m],
  ['typescript', 2, /^(?:export )?(?:declare )?interface \w+[^\n{]*\{/m],
  ['typescript', 2, /^(?:export )?type \w+(?:<[^\n=]*>)? = /m],
  [
    'typescript',
    2,
    /\b(?:const|let|function \w+\([^)\n]{0,200}\)?)[^\n=;]{0,80}: (?:string|number|boolean|void|unknown|Promise<)/,
  ],
  ['javascript', 1, /^(?:export )?(?:default )?(?:async )?function\*? ?\w*\(/m],
  ['javascript', 1, /^\s*(?:export )?(?:const|let|var) [\w${[][^\n=]{0,200}= /m],
  ['javascript', 2, /^import [^\n;]{1,300} from ['"][^'"\n]+['"];?\s*$/m],
  ['javascript', 2, /\bconsole\.(?:log|error|warn)\(|\brequire\(['"]|\bmodule\.exports\b/],
  ['javascript', 1, /=> ?[{(\w]/],
  ['go', 2, /^package \w+\s*$/m],
  ['go', 2, /^func (?:\(\w+ \*?\w+\) )?\w+\(/m],
  ['go', 1, /\w+ := /],
  ['rust', 2, /^\s*(?:pub(?:\([^)\n]*\))? )?fn \w+(?:<[^\n(]*>)?\([^\n]*(?:->|\{)/m],
  ['rust', 2, /^(?:use (?:std|crate|super)::|impl(?:<[^\n>]*>)? \w)/m],
  ['rust', 1, /\blet mut |\bprintln!\(/],
  [
    'java',
    2,
    /^\s*(?:public|private|protected) (?:static |final |abstract )*(?:class|interface|enum|record|void|[A-Z]\w*)\b(?! \w+ \{ get)/m,
  ],
  ['java', 2, /^import (?:static )?java[\w.]*\.[\w*]+;/m],
  ['java', 2, /\bSystem\.out\.print/],
  ['csharp', 3, /^using (?:System|Microsoft)[\w.]*;/m],
  ['csharp', 3, /^namespace [\w.]+\s*[;{]?\s*$|\{ get; (?:set|init)?;? ?\}/m],
  ['csharp', 2, /\bConsole\.Write/],
  ['c', 2, /^#include [<"]\w/m],
  ['cpp', 3, /\bstd::\w|^using namespace \w+;|^template ?</m],
  ['php', 4, /<\?php\b/],
  ['ruby', 2, /^\s*def [\w.?!]+(?:\([^\n]*\))?\s*\n[\s\S]{0,4000}?^\s*end\b/m],
  ['ruby', 2, /^require(?:_relative)? ['"]/m],
  ['kotlin', 2, /^\s*(?:(?:private|override|suspend|internal) )*fun (?:<[^\n>]*> ?)?[\w.]+\(/m],
  [
    'swift',
    2,
    /^import (?:UIKit|SwiftUI|Foundation)\b|^\s*(?:public |private )?func \w+\([^\n]*\)(?: throws)?(?: -> \w+)? \{/m,
  ],
  [
    'sql',
    2,
    /^\s*(?:select\s[\s\S]{1,2000}?\sfrom\s+[\w"]|insert into [\w".]+|create (?:or replace )?(?:table|view|index|function)\b|update [\w".]+\s+set\b|delete from [\w".]+|alter table\b)/im,
  ],
  ['html', 3, /^\s*<(?:!doctype html|html|head|body|div|section|table|ul|p|form|span|a)\b[^\n>]{0,500}>/im],
  ['xml', 4, /^\s*<\?xml\b/],
  ['css', 2, /^[.#@:\w][^\n{};]{0,200}\{\s*\n?\s*[\w-]+\s*:[^\n;{}]{1,200};/m],
  ['bash', 4, /^#!\s?\/(?:usr\/)?bin\/(?:env )?(?:ba|z|k|da)?sh\b/],
  ['python', 4, /^#!\s?\/usr\/bin\/(?:env )?python/],
  ['javascript', 4, /^#!\s?\/usr\/bin\/(?:env )?node\b/],
  ['bash', 2, /^\s*(?:if \[\[? |then\s*$|fi\s*$|done\s*$|esac\s*$)/m],
  [
    'bash',
    2,
    /^(?:\$ )?(?:sudo |npm |npx |git |docker |curl |apt(?:-get)? |pip3? |cd |mkdir |export \w+=|echo )[^\n=;{}]*$/m,
  ],
  ['yaml', 2, /^(?:---\s*\n)?(?:#[^\n]*\n)*[\w.-]+:(?: [^\n{}[\];]*)?\n(?: *- | {2,}\S|[\w.-]+:(?: |\n|$))/],
];

/** The name of the language that the fence says, else of the one that the text looks like; null where it could be any. */
function languageOf(content: string, declared: string | null): { language: string | null; guessed: boolean } {
  const said = declared?.toLowerCase() ?? '';
  if (said !== '' && !plain.has(said)) return { language: byAlias.get(said) ?? said, guessed: false };
  const language = guessLanguage(content);
  return { language, guessed: language !== null };
}

function guessLanguage(content: string): string | null {
  if (isJson(content)) return 'json';
  const sample = content.slice(0, SAMPLE_LENGTH);
  const scores = new Map<string, number>();
  for (const [language, weight, pattern] of signs) {
    if (pattern.test(sample)) scores.set(language, (scores.get(language) ?? 0) + weight);
  }
  // All of JavaScript is TypeScript, and all of C is C++, once something says so.
  for (const [wider, narrower] of [
    ['typescript', 'javascript'],
    ['cpp', 'c'],
  ] as const) {
    const own = scores.get(wider);
    if (own !== undefined) scores.set(wider, own + (scores.get(narrower) ?? 0));
  }
  const [best, second] = [...scores].sort(([, a], [, b]) => b - a);
  if (best === undefined || best[1] < MIN_SCORE || best[1] === second?.[1]) return null;
  return best[0];
}

function isJson(content: string): boolean {
  if (!/^\s*[[{]/.test(content) || content.length > SAMPLE_LENGTH * 8) return false;
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

export type CodeFacts = {
  language: string | null;
  /** The content does not say it; it looks like it. */
  languageGuessed: boolean;
  symbols: CodeSymbol[];
};

export function enrichCode(content: string, declared: string | null): CodeFacts {
  const { language, guessed } = languageOf(content, declared);
  return { language, languageGuessed: guessed, symbols: language === null ? [] : findSymbols(content, language) };
}
