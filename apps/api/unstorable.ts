/** What no field may hold, since it would come out otherwise than it went in. */
import type { ErrorDetail } from './errors.ts';

/** PostgreSQL reads JSON recursively, and so do we. */
const MOST_LEVELS = 100;
/** So many problems are looked for. */
const MOST_FOUND = 100;

/**
 * The fields of a JSON value that cannot be stored and returned as they are: text with U+0000 (PostgreSQL) or lone
 * surrogates (UTF-8), numbers beyond a double (1e999), `__proto__` as a name, and values nested too deep.
 */
export function unstorable(value: unknown): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  visit(value, []);
  return found;

  function refuse(path: string[], message: string): void {
    found.push({ field: path.join('.') || 'body', message });
  }

  function visit(item: unknown, path: string[]): void {
    if (found.length >= MOST_FOUND) return;
    const message = problemOf(item, path.length);
    if (message !== null) {
      refuse(path, message);
      return;
    }
    if (Array.isArray(item)) {
      for (const [index, element] of item.entries()) visit(element, [...path, String(index)]);
    } else if (typeof item === 'object' && item !== null) {
      for (const [key, field] of Object.entries(item)) visitField(key, field, path);
    }
  }

  function visitField(key: string, field: unknown, path: string[]): void {
    const name = key.toWellFormed().replaceAll('\0', '\uFFFD');
    if (name !== key) refuse([...path, name], 'The name of a field must not contain U+0000 or lone surrogates.');
    else if (key === '__proto__') refuse([...path, key], 'This name is not possible.');
    else visit(field, [...path, key]);
  }
}

function problemOf(value: unknown, level: number): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'Must not contain U+0000.';
    return value.isWellFormed() ? null : 'Must not contain lone surrogates.';
  }
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'Must be a number that a double can hold.';
  return typeof value === 'object' && level > MOST_LEVELS ? `Must not nest deeper than ${MOST_LEVELS} levels.` : null;
}
