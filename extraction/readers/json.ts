/** JSON texts: one value, or one a line. */

/** Characters of what people write by hand; longer texts are data, and their errors are told. */
const MAX_JSONC_CHARACTERS = 1024 * 1024;

/** The object or list that a text is, JSON lines as a list; undefined for anything else. */
export function parseJsonDocument(text: string): unknown {
  if (!/^\s*[{[/]/.test(text) || !/[}\]]\s*$/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return parseLines(text) ?? parseWithComments(text);
  }
}

/** A string, a comment, or a comma with nothing behind it; each is taken whole, so that nothing is looked at twice. */
const remark = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|,(?=\s*[}\]])/g;

/** Settings of many programs are JSON with comments and commas behind the last of a list (JSONC). */
function parseWithComments(text: string): unknown {
  if (text.length > MAX_JSONC_CHARACTERS) return undefined;
  const strip = (source: string) => source.replace(remark, (found) => (found.startsWith('"') ? found : ' '));
  try {
    // A comment may stand between a comma and the end of its list.
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
