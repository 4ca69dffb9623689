/**
 * Patterns made of phrases. Case does not matter, and a phrase is literal but for
 *
 * - `(a|b)`: one of them,
 * - `?`: what stands before it, a letter or a group, may be missing,
 * - `'`: either apostrophe,
 * - `*`: the rest of a word.
 */

/** Phrases by the code of their language. */
export type Phrases = Readonly<Record<string, readonly string[]>>;

/** The source of a pattern of any of the phrases; it captures nothing. */
export function anyOf(phrases: Phrases | readonly string[]): string {
  const sources = Object.values(phrases).flat().map(sourceOf);
  return `(?:${sources.join('|')})`;
}

/** Whether a line begins with one of the phrases, behind punctuation. */
export function beginningWith(phrases: Phrases): RegExp {
  return new RegExp(String.raw`^\W*${anyOf(phrases)}`, 'iu');
}

/**
 * Whether a text has one of the phrases: `words` as whole words, `beginnings` where a word begins, `parts` within words
 * too. Phrases that begin or end with a letter beyond ASCII have to be `parts`: RegExp knows no bounds of such words.
 */
export function mentioning(among: { words?: Phrases; beginnings?: Phrases; parts?: Phrases }): RegExp {
  const sources = [
    among.words && String.raw`\b${anyOf(among.words)}\b`,
    among.beginnings && String.raw`\b${anyOf(among.beginnings)}`,
    among.parts && anyOf(among.parts),
  ];
  return new RegExp(sources.filter((source) => source !== undefined).join('|'), 'iu');
}

function sourceOf(phrase: string): string {
  return phrase
    .replace(/[.+^$[\]{}\\]/g, String.raw`\$&`)
    .replaceAll('(', '(?:')
    .replaceAll("'", "['’]")
    .replaceAll('*', String.raw`\w*`);
}
