/** Programming languages by file names and by the interpreter of a script. */

/** Info string of a language's fence, with its file extensions (in lower case, without the dot). */
const endings: Readonly<Record<string, string>> = {
  abap: 'abap',
  ada: 'ada adb ads',
  applescript: 'applescript scpt',
  asm: 'asm s nasm',
  astro: 'astro',
  awk: 'awk',
  bash: 'sh bash zsh ksh bats',
  bat: 'bat cmd',
  bibtex: 'bib',
  c: 'c h',
  clojure: 'clj cljs cljc edn',
  cmake: 'cmake',
  cobol: 'cob cbl cpy',
  coffeescript: 'coffee',
  cpp: 'cpp cc cxx hpp hh hxx ipp tpp ino',
  crystal: 'cr',
  csharp: 'cs csx',
  css: 'css',
  cuda: 'cu cuh',
  d: 'd',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile containerfile',
  elixir: 'ex exs',
  elm: 'elm',
  erlang: 'erl hrl',
  fish: 'fish',
  fortran: 'f f90 f95 f03 f08 for',
  fsharp: 'fs fsi fsx',
  glsl: 'glsl vert frag comp',
  go: 'go',
  gradle: 'gradle',
  graphql: 'graphql gql',
  groovy: 'groovy',
  handlebars: 'hbs handlebars mustache',
  haskell: 'hs lhs',
  haxe: 'hx',
  hcl: 'tf tfvars hcl',
  ini: 'ini cfg conf cnf editorconfig service desktop',
  java: 'java',
  javascript: 'js mjs cjs',
  json5: 'json5 jsonc',
  jsx: 'jsx',
  julia: 'jl',
  kotlin: 'kt kts',
  latex: 'tex sty cls ltx',
  less: 'less',
  lisp: 'lisp lsp cl el',
  lua: 'lua',
  make: 'mk mak',
  matlab: 'matlab',
  mermaid: 'mmd mermaid',
  nginx: 'nginx nginxconf',
  nim: 'nim nims',
  nix: 'nix',
  objectivec: 'm mm',
  ocaml: 'ml mli',
  pascal: 'pas pp dpr',
  perl: 'pl pm t',
  php: 'php phtml php5 php7',
  plantuml: 'puml plantuml',
  powershell: 'ps1 psm1 psd1',
  prisma: 'prisma',
  prolog: 'pro prolog',
  properties: 'properties env',
  protobuf: 'proto',
  pug: 'pug jade',
  puppet: 'epp',
  python: 'py pyi pyw pyx',
  r: 'r rmd',
  racket: 'rkt',
  razor: 'cshtml razor',
  ruby: 'rb rake gemspec erb',
  rust: 'rs',
  sas: 'sas',
  scala: 'scala sc sbt',
  scheme: 'scm ss',
  scss: 'scss sass',
  smalltalk: 'st',
  solidity: 'sol',
  sparql: 'rq sparql',
  sql: 'sql psql ddl',
  stata: 'do ado',
  svelte: 'svelte',
  swift: 'swift',
  systemverilog: 'sv svh',
  tcl: 'tcl',
  thrift: 'thrift',
  toml: 'toml',
  tsx: 'tsx',
  turtle: 'ttl n3',
  typescript: 'ts mts cts',
  typst: 'typ',
  vb: 'vb vbs bas frm',
  verilog: 'v vh',
  vhdl: 'vhd vhdl',
  vim: 'vim',
  vue: 'vue',
  wgsl: 'wgsl',
  xquery: 'xq xquery xqm',
  xslt: 'xsl xslt',
  zig: 'zig',
};

/** Languages by whole file names. */
const names: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  makefile: 'make',
  gnumakefile: 'make',
  'cmakelists.txt': 'cmake',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  podfile: 'ruby',
  brewfile: 'ruby',
  jenkinsfile: 'groovy',
  justfile: 'make',
  procfile: 'properties',
  caddyfile: 'nginx',
  'go.mod': 'go',
  '.bashrc': 'bash',
  '.zshrc': 'bash',
  '.profile': 'bash',
  '.bash_profile': 'bash',
  '.vimrc': 'vim',
  '.env': 'properties',
  '.gitconfig': 'ini',
  '.editorconfig': 'ini',
  '.npmrc': 'ini',
  '.gitignore': 'gitignore',
  '.dockerignore': 'gitignore',
};

/** Languages by interpreter; '' stands for the interpreter's own name. */
const interpreters: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/^(?:ba|da|k|z|a)?sh$/, 'bash'],
  [/^fish$/, 'fish'],
  [/^(?:python|pypy)[\d.]*$|^uv$/, 'python'],
  [/^(?:node|nodejs|bun|zx)$/, 'javascript'],
  [/^(?:deno|ts-node|tsx)$/, 'typescript'],
  [/^perl[\d.]*$/, 'perl'],
  [/^(?:j|macr)?ruby[\d.]*$/, 'ruby'],
  [/^php[\d.]*$/, 'php'],
  [/^[gmn]?awk$/, 'awk'],
  [/^lua(?:jit)?[\d.]*$/, 'lua'],
  [/^Rscript$/, 'r'],
  [/^(?:tclsh|wish|expect)[\d.]*$/, 'tcl'],
  [/^(?:pwsh|powershell)$/, 'powershell'],
  [/^(?:runhaskell|runghc|stack)$/, 'haskell'],
  [/^(?:make|gmake)$/, 'make'],
  [/^(?:julia|groovy|scala|elixir|swift|racket|nix|osascript)$/, ''],
];

const byEnding = new Map(
  Object.entries(endings).flatMap(([language, list]) => list.split(' ').map((ending) => [ending, language])),
);

export const codeEndings: readonly string[] = [...byEnding.keys()];

/** The language by the file's name, or null. */
export function languageOfName(filename: string): string | null {
  const name = (filename.split(/[\\/]/).at(-1) ?? '').toLowerCase();
  const named = Object.hasOwn(names, name) ? names[name] : undefined;
  const kind = /^(dockerfile|containerfile|makefile|\.env)\./.exec(name)?.[1];
  return (
    named ?? byEnding.get(/\.([^.]+)$/.exec(name)?.[1] ?? '') ?? (kind === undefined ? null : (names[kind] ?? null))
  );
}

/** The language of a script that begins with "#!", or null. */
export function languageOfShebang(text: string): string | null {
  const line = /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*(\S+))?/.exec(text.slice(0, 500));
  if (line === null) return null;
  const path = line[1] ?? '';
  const program = (path.endsWith('/env') ? line[2] : path)?.split('/').at(-1) ?? '';
  const known = interpreters.find(([pattern]) => pattern.test(program));
  if (known === undefined) return /^\/?[\w./-]+$/.test(path) && path.includes('/') ? '' : null;
  return known[1] === '' ? (program === 'osascript' ? 'applescript' : program) : known[1];
}
