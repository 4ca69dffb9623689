/**
 * What a piece of code defines, found line by line: no parser of each language, so a definition that is split over
 * lines in an unusual way is passed over, and nothing is named that is not there.
 */

export interface CodeSymbol {
  name: string;
  kind: 'function' | 'method' | 'class' | 'interface' | 'type' | 'enum' | 'module' | 'table';
  /** From 1. */
  line: number;
}

type Rule = readonly [kind: CodeSymbol['kind'], pattern: RegExp];

const maxSymbols = 1_000;
/** No hand writes longer lines; those of minified code would only take time. */
const maxLineLength = 500;

const modifiers =
  '(?:(?:public|private|protected|internal|static|final|abstract|sealed|override|virtual|async|partial|readonly|data|open|inline|suspend|default|synchronized|export|declare|fileprivate|mutating)\\s+)*';
const rule = (kind: CodeSymbol['kind'], pattern: string): Rule => [kind, new RegExp(pattern)];

const javascript: Rule[] = [
  rule('function', '^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:async\\s+)?function\\s*\\*?\\s*([\\w$]+)'),
  rule('class', '^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?class\\s+([\\w$]+)'),
  rule(
    'function',
    '^\\s*(?:export\\s+)?(?:const|let|var)\\s+([\\w$]+)\\s*(?::[^=]{1,200})?=\\s*(?:async\\s*)?(?:function\\b|(?:<[^>]{1,100}>\\s*)?\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)\\s*(?::[^=]{1,200})?=>|[\\w$]+\\s*=>)',
  ),
];
const typescript: Rule[] = [
  ...javascript,
  rule('interface', '^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?interface\\s+([\\w$]+)'),
  rule('type', '^\\s*(?:export\\s+)?(?:declare\\s+)?type\\s+([\\w$]+)\\s*(?:<|=)'),
  rule('enum', '^\\s*(?:export\\s+)?(?:declare\\s+)?(?:const\\s+)?enum\\s+([\\w$]+)'),
  rule('module', '^\\s*(?:export\\s+)?(?:declare\\s+)?namespace\\s+([\\w$.]+)'),
];
const objects: Rule[] = [
  rule('class', `^\\s*${modifiers}(?:class|record|struct|object)\\s+(?:class\\s+)?(\\w+)`),
  rule('interface', `^\\s*${modifiers}(?:@?interface|trait|protocol)\\s+(\\w+)`),
  rule('enum', `^\\s*${modifiers}enum\\s+(?:class\\s+)?(\\w+)`),
];
/** A method of Java and C# has a modifier here: without one it looks like a call. */
const method = rule(
  'method',
  `^\\s*(?:public|private|protected|internal|static)\\s+${modifiers}(?:<[^>]{1,100}>\\s*)?(?:[\\w.]+(?:<[^()=]{1,100}>)?(?:\\[\\])*\\??\\s+)?(\\w+)\\s*\\([^;=]*$`,
);

const rules: Readonly<Record<string, readonly Rule[]>> = {
  javascript,
  typescript,
  python: [
    rule('method', '^\\s+(?:async\\s+)?def\\s+(\\w+)\\s*\\('),
    rule('function', '^(?:async\\s+)?def\\s+(\\w+)\\s*\\('),
    rule('class', '^\\s*class\\s+(\\w+)\\s*[(:]'),
  ],
  go: [
    rule('method', '^func\\s*\\([^)]*\\)\\s*(\\w+)\\s*[(\\[]'),
    rule('function', '^func\\s+(\\w+)\\s*[(\\[]'),
    rule('interface', '^\\s*(?:type\\s+)?(\\w+)\\s+interface\\s*\\{'),
    rule('type', '^type\\s+(\\w+)(?:\\[[^\\]]*\\])?\\s+\\S'),
  ],
  rust: [
    rule(
      'function',
      '^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:default\\s+)?(?:const\\s+)?(?:async\\s+)?(?:unsafe\\s+)?(?:extern\\s+"[^"]*"\\s+)?fn\\s+(\\w+)',
    ),
    rule('type', '^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:struct|union|type)\\s+(\\w+)'),
    rule('enum', '^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?enum\\s+(\\w+)'),
    rule('interface', '^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:unsafe\\s+)?trait\\s+(\\w+)'),
    rule('module', '^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?mod\\s+(\\w+)\\s*\\{'),
  ],
  java: [...objects, method],
  csharp: [...objects, method],
  kotlin: [...objects, rule('function', `^\\s*${modifiers}fun\\s+(?:<[^>]{1,100}>\\s*)?(?:\\w+\\.)?(\\w+)\\s*\\(`)],
  swift: [...objects, rule('function', `^\\s*${modifiers}func\\s+(\\w+)\\s*[(<]`)],
  scala: [...objects, rule('function', `^\\s*${modifiers}def\\s+(\\w+)`)],
  php: [...objects, rule('function', `^\\s*${modifiers}function\\s+&?(\\w+)\\s*\\(`)],
  c: [
    rule('type', '^\\s*(?:typedef\\s+)?(?:struct|union)\\s+(\\w+)\\s*\\{?\\s*$'),
    rule('enum', '^\\s*(?:typedef\\s+)?enum\\s+(\\w+)\\s*\\{?'),
    rule(
      'function',
      '^(?!\\s|(?:return|else|if|for|while|switch|typedef|struct|enum|union)\\b)(?:[\\w:<>,&*]+\\s+)+[*&]*([\\w:~]+)\\s*\\([^;=]*$',
    ),
  ],
  ruby: [
    rule('method', '^\\s*def\\s+(?:self\\.)?([\\w?!=]+)'),
    rule('class', '^\\s*class\\s+([\\w:]+)'),
    rule('module', '^\\s*module\\s+([\\w:]+)'),
  ],
  bash: [
    rule('function', '^\\s*(?:function\\s+)?([\\w:.-]+)\\s*\\(\\s*\\)'),
    rule('function', '^\\s*function\\s+([\\w:.-]+)'),
  ],
  powershell: [rule('function', '^\\s*(?:function|filter)\\s+([\\w:-]+)'), rule('class', '^\\s*class\\s+(\\w+)')],
  sql: [
    rule(
      'table',
      '^\\s*create\\s+(?:or\\s+replace\\s+)?(?:temp(?:orary)?\\s+|unlogged\\s+|materialized\\s+)*(?:table|view)\\s+(?:if\\s+not\\s+exists\\s+)?([\\w".]+)',
    ),
    rule('function', '^\\s*create\\s+(?:or\\s+replace\\s+)?(?:function|procedure)\\s+([\\w".]+)'),
    rule('type', '^\\s*create\\s+(?:type|domain)\\s+([\\w".]+)'),
  ].map(([kind, pattern]): Rule => [kind, new RegExp(pattern.source, 'i')]),
};
const sharedRules: Readonly<Record<string, string>> = { cpp: 'c' };

// Each closes at the end of the text at the latest, so that none is tried again from every place inside.
const doubleQuoted = '"(?:\\\\.|[^"\\\\\\n])*"?';
const singleQuoted = "'(?:\\\\.|[^'\\\\\\n])*'?";
const slashComments = '\\/\\*[\\s\\S]*?(?:\\*\\/|$)|\\/\\/[^\\n]*';
const hashComments = '#[^\\n]*';
/** Comments and strings, in which nothing is defined. */
const masks: Readonly<Record<string, RegExp>> = {
  javascript: new RegExp(`${slashComments}|${doubleQuoted}|${singleQuoted}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`?`, 'g'),
  python: new RegExp(
    `"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|${hashComments}|${doubleQuoted}|${singleQuoted}`,
    'g',
  ),
  go: new RegExp(`${slashComments}|${doubleQuoted}|\`[^\`]*\`?`, 'g'),
  // A single quotation mark may be a lifetime of Rust or a character.
  rust: new RegExp(`${slashComments}|(?<!extern\\s{1,9})${doubleQuoted}`, 'g'),
  java: new RegExp(`${slashComments}|"""[\\s\\S]*?(?:"""|$)|${doubleQuoted}`, 'g'),
  php: new RegExp(`${slashComments}|${hashComments}|${doubleQuoted}|${singleQuoted}`, 'g'),
  ruby: new RegExp(`^=begin[\\s\\S]*?(?:^=end|$(?![\\s\\S]))|${hashComments}|${doubleQuoted}|${singleQuoted}`, 'gm'),
  sql: /\/\*[\s\S]*?(?:\*\/|$)|--[^\n]*|'(?:''|[^'])*'?/g,
  // A double quotation mark in a shell often spans lines, and a hash is often no comment: only whole lines of it are.
  bash: /^[ \t]*#[^\n]*/gm,
};
const sharedMasks: Readonly<Record<string, string>> = {
  typescript: 'javascript',
  c: 'java',
  cpp: 'java',
  csharp: 'java',
  kotlin: 'java',
  swift: 'java',
  scala: 'java',
  powershell: 'bash',
};

/** The same text with blanks for comments and strings; lines stay where they are. */
function withoutCommentsAndStrings(code: string, language: string): string {
  const mask = masks[sharedMasks[language] ?? language];
  return mask === undefined ? code : code.replace(mask, (text) => text.replace(/[^\n]/g, ' '));
}

/** Functions, classes and types in order, at most 1,000; none for a language that is not known here. */
export function findSymbols(code: string, language: string): CodeSymbol[] {
  const patterns = rules[sharedRules[language] ?? language];
  if (patterns === undefined) return [];
  const symbols: CodeSymbol[] = [];
  const lines = withoutCommentsAndStrings(code, language).split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.length > maxLineLength) continue;
    for (const [kind, pattern] of patterns) {
      const name = pattern.exec(line)?.[1];
      if (name === undefined) continue;
      symbols.push({ name: name.replaceAll('"', ''), kind, line: index + 1 });
      break;
    }
    if (symbols.length >= maxSymbols) break;
  }
  return symbols;
}
