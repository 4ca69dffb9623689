/** The title of a web page. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { decodeText } from '../../../detection/encoding/decode.ts';

const maxTitleCodePoints = 300;

/** The page's `<title>`, or null. The bytes may be the beginning of the page alone. */
export function pageTitle({ bytes, contentType }: { bytes: Uint8Array; contentType: string | null }): string | null {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1] ?? null;
  const document = parse(decodeText(withoutBrokenEnd(bytes), charset).text);
  // In order of the document, without recursion: pages nest as deep as they like.
  const pending: DefaultTreeAdapterTypes.ChildNode[] = document.childNodes.toReversed();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!('tagName' in node)) continue;
    // A title within a drawing is the drawing's.
    if (node.tagName === 'svg') continue;
    if (node.tagName === 'title') return cleaned(node);
    for (const child of node.childNodes.toReversed()) pending.push(child);
  }
  return null;
}

function cleaned({ childNodes }: DefaultTreeAdapterTypes.Element): string | null {
  const text = childNodes.map((node) => ('value' in node ? node.value : '')).join('');
  const line = text
    .slice(0, maxTitleCodePoints * 10)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line === '' ? null : [...line].slice(0, maxTitleCodePoints).join('');
}

/** Without the last character of several bytes: cut in the middle, it would make all look like another encoding. */
function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (bytes.length - end < 3 && isContinuation(bytes[end - 1])) end -= 1;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** UTF-8's bytes after the first of a character. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}
