/** Code blocks, fenced and indented. */
import { type Finder, normaliseText, titleFrom } from './find.ts';

/** Titled by its first line that says something, else by the heading above it. */
export const findCode: Finder = (node, { start, end, headings }) => {
  if (node.type !== 'code' || node.value.trim() === '') return null;
  const said = node.value.split('\n').find((line) => /[\p{L}\p{N}]{2}/u.test(line)) ?? headings.at(-1) ?? 'Code';
  return {
    kind: 'code',
    title: titleFrom(said),
    content: node.value,
    language: languageOf(node.lang ?? null),
    metadata: { headings, lines: node.value.split('\n').length, ...(node.meta ? { info: node.meta } : {}) },
    normalised: normaliseText(node.value),
    start,
    end,
  };
};

/** "```{.python title=x}" and "```js,ignore" name a language too. */
function languageOf(info: string | null): string | null {
  const language = /^\{?\.?([\w+#.-]+)/.exec(info ?? '')?.[1]?.toLowerCase();
  return language ?? null;
}
