/** Texts that name their source and the version of its content: mixed results show. */

/** Names one version of one source's content, like `m12v3`. */
const TOKEN = /m(\d+)v(\d+)/g;

export function tokenOf(marker: string, version: number): string {
  return `${marker}v${version}`;
}

/** The versions that a text names, each once, in the order in which they first appear. */
export function tokensIn(text: string): string[] {
  return [...new Set([...text.matchAll(TOKEN)].map(([token]) => token))];
}

/** The source's marker in a token. */
export function markerOf(token: string): string {
  return token.slice(0, token.indexOf('v'));
}

/** The version's number in a token. */
export function versionOf(token: string): number {
  return Number(token.slice(token.indexOf('v') + 1));
}

/** So many artifacts of each kind are in every text. */
export const artifactsOfText = { link: 2, code: 1 } as const;

/** Markdown with the token in its title, its sentences and its artifacts; each version has another length. */
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
