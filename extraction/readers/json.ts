/** Parses JSON, JSON lines and JSON with comments. */

/** Limit for JSON with comments, which is written by hand; in longer texts comments are errors. */
const MAX_JSONC_CHARACTERS = 1024 * 1024;

/** The object or list of a JSON text, or the list of JSON lines; undefined for other text. */
export function parseJsonDocument(text: string): unknown {
  if (!/^\s*[{[/]/.test(text) || !/[}\]]\s*$/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return parseLines(text) ?? parseWithComments(text);
  }
}

/** A string, a comment or a trailing comma. Each match is the whole token, so that the search is linear. */
const tokens = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|,(?=\s*[}\]])/g;

/** Parses JSON with comments and trailing commas (JSONC), which many programs use for settings. */
function parseWithComments(text: string): unknown {
  if (text.length > MAX_JSONC_CHARACTERS) return undefined;
  const strip = (source: string) => source.replace(tokens, (found) => (found.startsWith('"') ? found : ' '));
  try {
    // Twice, since a comment may be between a trailing comma and the end of its list.
    const value: unknown = JSON.parse(strip(strip(text)));
    return value;
  } catch {
    return undefined;
  }
}

function parseLines(text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  try {
    return lines.map((line): unknown => JSON.parse(line));
  } catch {
    return undefined;
  }
}
