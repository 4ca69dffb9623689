/** Paths in an export: readable, valid on every system, and unique by their ids. */
import { extname } from 'node:path/posix';

const MAX_CHARACTERS = 60;
/**
 * Characters that are unsafe in a path: separators, those that Windows forbids, control characters, and format
 * characters that hide or reverse the text after them.
 */
const unsafe = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Returns name and id: `Release notes 01a2038b-2726-730d-b793-c28f5432d217`. The id makes it unique. */
export function folderName(name: string, id: string): string {
  const safe = [...name.toWellFormed().normalize('NFC').replaceAll(unsafe, ' ').replaceAll(/\s+/g, ' ').trim()]
    .slice(0, MAX_CHARACTERS)
    .join('')
    // No hidden folder, and no `..`.
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

/** Returns the extension of `filename`, else that of the media type, else ''. */
export function extensionOf(filename: string | null, contentType: string | null): string {
  const own = extname(filename ?? '').toLowerCase();
  if (/^\.[a-z0-9]{1,10}$/.test(own)) return own;
  return extensions[contentType?.split(';')[0]?.trim().toLowerCase() ?? ''] ?? '';
}
