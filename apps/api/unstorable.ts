/** Finds values that cannot be stored and returned unchanged. */
import { type ErrorDetail, fieldOf, MAX_DETAILS } from './errors.ts';
import { MAX_LEVELS } from './http/json-bounds.ts';

/** The path to a value as a linked list; its names are joined only for an error. */
interface Place {
  name: string;
  within: Place | null;
  level: number;
}

function namesOf(place: Place | null): string[] {
  const names: string[] = [];
  for (let at = place; at !== null; at = at.within) names.unshift(at.name);
  return names;
}

/**
 * The fields of a JSON value that cannot be stored and returned as they are: text with U+0000 (PostgreSQL) or lone
 * surrogates (UTF-8), numbers beyond a double (1e999), `__proto__` as a name, and values nested too deep.
 */
export function unstorable(value: unknown): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  visit(value, null);
  return found;

  function report(place: Place | null, message: string): void {
    found.push({ field: fieldOf(namesOf(place)), message });
  }

  function visit(item: unknown, place: Place | null): void {
    if (found.length >= MAX_DETAILS) return;
    const level = place?.level ?? 0;
    const message = problemOf(item, level);
    if (message !== null) {
      report(place, message);
      return;
    }
    if (Array.isArray(item)) {
      for (const [index, element] of item.entries()) {
        visit(element, { name: String(index), within: place, level: level + 1 });
      }
    } else if (typeof item === 'object' && item !== null) {
      for (const [key, field] of Object.entries(item)) visitField(key, field, place, level + 1);
    }
  }

  function visitField(key: string, field: unknown, within: Place | null, level: number): void {
    const name = storableText(key);
    const place = { name, within, level };
    if (name !== key) report(place, 'The name of a field must not contain U+0000 or lone surrogates.');
    else if (key === '__proto__') report(place, 'This name is not allowed.');
    else visit(field, place);
  }
}

/** The text with U+0000 and lone surrogates replaced by U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function problemOf(value: unknown, level: number): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'Must not contain U+0000.';
    return value.isWellFormed() ? null : 'Must not contain lone surrogates.';
  }
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'Must be a number that a double can hold.';
  return typeof value === 'object' && level > MAX_LEVELS ? `Must not nest deeper than ${MAX_LEVELS} levels.` : null;
}
