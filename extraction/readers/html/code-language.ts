/** The language of a code block, as highlighters write it into the page. */
import type { DomElement } from './dom.ts';
import { words } from './words.ts';

/** "language-js", "lang-js", "highlight-source-js", "brush: js"; "sourceCode js", "highlight js" name it more loosely. */
const languageClasses = [
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:|codehilite-lang|code-lang)[-:]?\s*([a-z][\w+#.-]*)/i,
  /(?:^|\s)(?:sourceCode|src|hljs)[-\s]([a-z][\w+#.]*)(?=\s|$)/i,
  /(?:^|\s)highlight[-\s]([a-z][\w+#.]*)(?=\s|$)/i,
  /(?:^|\s)([a-z][\w+#.]*)\s+hljs(?=\s|$)/i,
];
const noLanguage = new Set(
  words(
    'none text txt plain plaintext nohighlight no-highlight default undefined auto notranslate',
    'code source output block line numbers wrapper copy highlight highlighted shiki',
  ),
);
/** A class that is the language's name alone says so on code elements only, and only for these. */
const languages = new Set(
  words(
    'bash sh shell zsh console powershell c cpp c++ csharp cs objectivec go golang rust rs swift dart',
    'java kotlin scala groovy clojure javascript js jsx typescript ts tsx vue svelte python py ruby rb php perl lua',
    'r julia matlab haskell elixir erlang lisp scheme ocaml fsharp sql graphql',
    'html xml css scss sass less json yaml yml toml ini diff dockerfile makefile nginx http markdown tex latex',
  ),
);

/** The language that a highlighter's class names on the block, its code, or up to two elements around it. */
export function languageOf(pre: DomElement): string | null {
  const code = pre.querySelector('code');
  const around = [code, pre, pre.parentElement, pre.parentElement?.parentElement];
  for (const element of around) {
    if (element === null || element === undefined) continue;
    const named =
      element.getAttribute('data-language') ??
      element.getAttribute('data-lang') ??
      element.getAttribute('data-enlighter-language') ??
      element.getAttribute('data-code-language');
    const language = (named ?? classLanguage(element))?.toLowerCase();
    if (language !== undefined && /^[a-z][\w+#.-]{0,30}$/.test(language) && !noLanguage.has(language)) return language;
  }
  const alone = [code, pre].map((element) => element?.getAttribute('class')?.trim().toLowerCase() ?? '');
  return alone.find((name) => languages.has(name)) ?? null;
}

function classLanguage(element: DomElement): string | undefined {
  const names = element.getAttribute('class') ?? '';
  for (const pattern of languageClasses) {
    const language = pattern.exec(names)?.[1];
    if (language !== undefined && !noLanguage.has(language.toLowerCase())) return language;
  }
  return undefined;
}
