/** Test texts that name their source and version, so that mixed or outdated results are detected. */

/** A token names one version of one source's content: `m12v3` is version 3 of the source with the marker `m12`. */
const TOKEN = /m(\d+)v(\d+)/g;

export function tokenOf(marker: string, version: number): string {
  return `${marker}v${version}`;
}

/** Returns the distinct tokens of a text, in the order of first appearance. */
export function tokensIn(text: string): string[] {
  return [...new Set([...text.matchAll(TOKEN)].map(([token]) => token))];
}

/** Returns the marker of a token. */
export function markerOf(token: string): string {
  return token.slice(0, token.indexOf('v'));
}

/** Returns the version number of a token. */
export function versionOf(token: string): number {
  return Number(token.slice(token.indexOf('v') + 1));
}

/** Number of artifacts of each kind in every text. */
export const artifactsOfText = { link: 2, code: 1 } as const;

/** Markdown with the token in title, sentences and artifacts. Consecutive versions differ in length. */
export function textOf(marker: string, version: number): string {
  const token = tokenOf(marker, version);
  const sentences = Array.from({ length: 3 + (version % 7) }, (_, at) => `Sentence ${at + 1} is of ${token}.`);
  const links = Array.from(
    { length: artifactsOfText.link },
    (_, at) => `- [Link ${at + 1}](https://storm.invalid/${token}/${at + 1})`,
  );
  const code = `\`\`\`js\nfunction ${token}() {}\n\`\`\``;
  return `# Title of ${token}\n\n${sentences.join(' ')}\n\n${links.join('\n')}\n\n${code}\n`;
}
