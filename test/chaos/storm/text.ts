/** Texts that say of themselves which source and which version of its content they are: mixed results show. */

/** Names one version of one source's content, like `m12v3`. */
const TOKEN = /m(\d+)v(\d+)/g;

export function tokenOf(marker: string, version: number): string {
  return `${marker}v${version}`;
}

/** The versions that a text speaks of, each once, in the order in which they first appear. */
export function tokensIn(text: string): string[] {
  return [...new Set([...text.matchAll(TOKEN)].map(([token]) => token))];
}

/** The source's marker in a token. */
export function markerOf(token: string): string {
  return token.slice(0, token.indexOf('v'));
}

export const LINKS = 2;

/** Markdown with the token in its title, its sentences and its artifacts; each version has another length. */
export function textOf(marker: string, version: number): string {
  const token = tokenOf(marker, version);
  const sentences = Array.from({ length: 3 + (version % 7) }, (_, at) => `Sentence ${at + 1} is of ${token}.`);
  const links = Array.from(
    { length: LINKS },
    (_, at) => `- [Link ${at + 1}](https://storm.invalid/${token}/${at + 1})`,
  );
  return `# Title of ${token}\n\n${sentences.join(' ')}\n\n${links.join('\n')}\n`;
}
