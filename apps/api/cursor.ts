/** Cursors of keyset paging: where a page ended, and of which list with which filters it was. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalid } from './errors.ts';

/** A list and its filters in a few characters. */
function fingerprint(list: unknown): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);
}

/** The opaque text of a position; `list` is everything that the position belongs to. */
export function encodeCursor(list: unknown, position: unknown): string {
  return Buffer.from(JSON.stringify([fingerprint(list), position])).toString('base64url');
}

const cursorSchema = z.tuple([z.string(), z.unknown()]);
export const notACursor = 'Not a cursor of this list: use nextCursor of its last answer, with the same filters.';

function decode(cursor: string): z.infer<typeof cursorSchema> | null {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return null;
  }
}

/** Whether a text is a cursor of any list. */
export function isCursor(text: string): boolean {
  return decode(text) !== null;
}

/** The position in a cursor of this very list. @throws AppError 400 on `cursor` for any other text. */
export function decodeCursor<Schema extends z.ZodType>(
  list: unknown,
  schema: Schema,
  cursor: string | undefined,
): z.infer<Schema> | null {
  if (cursor === undefined) return null;
  const [of, given] = decode(cursor) ?? [];
  const position = schema.safeParse(given);
  if (of !== fingerprint(list) || !position.success) throw invalid('cursor', notACursor);
  return position.data;
}

/** Cuts a page out of `limit + 1` rows. */
export function page<Row>(rows: Row[], limit: number, list: unknown, positionOf: (row: Row) => unknown) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(list, positionOf(last)) : null;
  return { items, nextCursor };
}

/** A time as cursors carry it; nobody's cursor names a year that PostgreSQL cannot read. */
export const cursorTime = z.iso.datetime({ precision: 3 }).refine((time) => time >= '1970');

/** The position in a list that is ordered by time and id, newest first. */
export const timePosition = z.tuple([cursorTime, z.uuid()]);

/** Keyset condition of the ORM for what comes after a position in such a list. */
export function olderThan(position: z.infer<typeof timePosition> | null) {
  if (position === null) return {};
  const [time, id] = position;
  const createdAt = new Date(time);
  // The first condition is no more than the others say, but it lets an index begin at the position.
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { createdAt, id: { $lt: id } }] };
}

/** The order of such a list. */
export const newestFirst = { createdAt: 'desc', id: 'desc' } as const;

/** Above every generation that a source can have: the largest integer of its column. */
export const NEWEST_GENERATION = 2_147_483_647;

/** The position in a list of generations, newest first. */
export const generationPosition = z.int().min(1).max(NEWEST_GENERATION);
