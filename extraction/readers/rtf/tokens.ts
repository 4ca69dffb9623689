/** RTF as tokens (RTF specification 1.9.1, "Conventions of an RTF reader"). */

export type RtfToken =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; name: string; value: number | null }
  /** A byte of text in the encoding of the current font. */
  | { kind: 'byte'; value: number }
  /** The "\*" before an optional destination. */
  | { kind: 'optional' };

const simple: Readonly<Record<string, string>> = { '~': 'nbsp', _: 'nbhyphen', '\n': 'par', '\r': 'par', '\t': 'tab' };

/** The tokens of a document. Line breaks and binary data (\bin) are skipped. */
export function* rtfTokens(source: string): Generator<RtfToken> {
  const word = /([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;
  for (let at = 0; at < source.length; ) {
    const character = source.charAt(at);
    at += 1;
    if (character === '{') yield { kind: 'open' };
    else if (character === '}') yield { kind: 'close' };
    else if (character !== '\\') {
      if (character !== '\n' && character !== '\r' && character !== '\0') yield byte(character);
    } else {
      word.lastIndex = at;
      const match = word.exec(source);
      if (match !== null) {
        at = word.lastIndex;
        const [, name = '', digits] = match;
        const value = digits === undefined ? null : Number(digits);
        if (name === 'bin') at += Math.max(0, value ?? 0);
        else yield { kind: 'word', name, value };
        continue;
      }
      const symbol = source.charAt(at);
      at += 1;
      const name = simple[symbol];
      if (symbol === "'") {
        const code = Number.parseInt(source.slice(at, at + 2), 16);
        at += 2;
        if (!Number.isNaN(code)) yield { kind: 'byte', value: code };
      } else if (symbol === '*') yield { kind: 'optional' };
      else if (name !== undefined) yield { kind: 'word', name, value: null };
      else if (symbol === '\\' || symbol === '{' || symbol === '}') yield byte(symbol);
    }
  }
}

function byte(character: string): RtfToken {
  return { kind: 'byte', value: character.charCodeAt(0) & 0xff };
}
