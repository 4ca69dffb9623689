/** Decoded text for detection and readers: decoded once, and parsed as JSON and XML on demand, at most once each. */
import type { Content } from '../content.ts';
import type { TextSample } from '../readers/formats/format.ts';
import { parseJsonDocument } from '../readers/json.ts';
import { charsetOfHtml, decodeText } from './encoding/decode.ts';

/** The text of `content`, decoded by decodeText with the charset of its media type or of its first bytes. */
export function textSample(content: Content): TextSample {
  const declared = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(content.contentType ?? '')?.[1] ?? null;
  const { text, encoding, guessed } = decodeText(content.bytes, declared ?? charsetOfHtml(content.bytes));
  return {
    ...content,
    text,
    encoding: { label: encoding, guessed },
    json: once(() => parseJsonDocument(text)),
    xmlRoot: once(() => rootOf(text)),
  };
}

/** The root element's local name; null where the text does not begin with an element. */
function rootOf(text: string): string | null {
  const beginning = /^\s*(?:<\?[^>]*\?>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*/i.exec(
    text.slice(0, 64 * 1024),
  );
  return /^<(?:[\w.-]+:)?([\w.-]+)[\s/>]/.exec(text.slice(beginning?.[0].length ?? 0, 66 * 1024))?.[1] ?? null;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
