/** Keyset cursors: the position of a page's last item, bound to one list and its filters. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalid } from './errors.ts';

/** A short hash of a list and its filters. */
function fingerprint(list: unknown): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);
}

/** The opaque cursor of a position; `list` identifies the list and its filters. */
export function encodeCursor(list: unknown, position: unknown): string {
  return Buffer.from(JSON.stringify([fingerprint(list), position])).toString('base64url');
}

const cursorSchema = z.tuple([z.string(), z.unknown()]);
export const cursorMessage = 'Not a cursor of this list: send nextCursor of its last page, with the same filters.';

function decode(cursor: string): z.infer<typeof cursorSchema> | null {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return null;
  }
}

/** Whether a text has the form of a cursor, of any list. */
export function isCursor(text: string): boolean {
  return decode(text) !== null;
}

/** The position in a cursor of this list; null without a cursor. @throws AppError 400 on `cursor` for any other text */
export function decodeCursor<Schema extends z.ZodType>(
  list: unknown,
  schema: Schema,
  cursor: string | undefined,
): z.infer<Schema> | null {
  if (cursor === undefined) return null;
  const [listFingerprint, value] = decode(cursor) ?? [];
  const position = schema.safeParse(value);
  if (listFingerprint !== fingerprint(list) || !position.success) throw invalid('cursor', cursorMessage);
  return position.data;
}

/** The first `limit` of up to `limit + 1` rows; `nextCursor` is null on the last page. */
export function page<Row>(rows: Row[], limit: number, list: unknown, positionOf: (row: Row) => unknown) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(list, positionOf(last)) : null;
  return { items, nextCursor };
}

/** A time in a cursor. From 1970 on: PostgreSQL cannot parse every year of ISO 8601. */
export const cursorTime = z.iso.datetime({ precision: 3 }).refine((time) => time >= '1970');

/** Position in a list ordered by time and id, newest first. */
export const timePosition = z.tuple([cursorTime, z.uuid()]);

/** ORM condition for the items after a position in such a list; `{}` for the first page. */
export function olderThan(position: z.infer<typeof timePosition> | null) {
  if (position === null) return {};
  const [time, id] = position;
  const createdAt = new Date(time);
  // `createdAt <= time` is redundant, but lets an index scan start at the position.
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { createdAt, id: { $lt: id } }] };
}

/** Order of such a list. */
export const newestFirst = { createdAt: 'desc', id: 'desc' } as const;

/** Upper bound of generations: the maximum of PostgreSQL's `integer`. */
export const MAX_GENERATION = 2_147_483_647;

/** Position in a list of generations, newest first. */
export const generationPosition = z.int().min(1).max(MAX_GENERATION);
