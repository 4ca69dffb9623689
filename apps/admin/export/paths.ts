/** Paths in an export: readable, safe on every system, and unique by the ids in them. */
import { extname } from 'node:path/posix';

const MAX_CHARACTERS = 60;
/**
 * What no file system, shell or terminal is to stumble over: separators, what Windows refuses, control characters, and
 * marks that hide or turn around what follows them.
 */
const unsafe = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** `Release notes 01a2038b-2726-730d-b793-c28f5432d217`: the name for people, the id so that no two are the same. */
export function folderName(name: string, id: string): string {
  const safe = [...name.toWellFormed().normalize('NFC').replaceAll(unsafe, ' ').replaceAll(/\s+/g, ' ').trim()]
    .slice(0, MAX_CHARACTERS)
    .join('')
    // No folder is hidden, or points to the one above.
    .replace(/^[.\s]+/, '')
    .trim();
  return safe === '' ? id : `${safe} ${id}`;
}

const extensions: Readonly<Record<string, string>> = {
  'application/json': '.json',
  'application/pdf': '.pdf',
  'application/rtf': '.rtf',
  'application/xhtml+xml': '.html',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'message/rfc822': '.eml',
  'text/csv': '.csv',
  'text/html': '.html',
  'text/markdown': '.md',
  'text/plain': '.txt',
};

/** The extension of the file's own name, else that of its media type, else none. */
export function extensionOf(filename: string | null, contentType: string | null): string {
  const own = extname(filename ?? '').toLowerCase();
  if (/^\.[a-z0-9]{1,10}$/.test(own)) return own;
  return extensions[contentType?.split(';')[0]?.trim().toLowerCase() ?? ''] ?? '';
}
