/** Input fields shared by procedures, with the limits of the contract. Lengths count Unicode code points. */
import { z } from 'zod';
import { metadataSchema } from '../../contract/resources.ts';
import { cursorMessage, isCursor } from './cursor.ts';

// zod's issues do not say whether a field was missing; only customError sees the input.
z.config({
  customError: ({ code, input }) =>
    input === undefined && (code === 'invalid_type' || code === 'invalid_value') ? 'Required.' : undefined,
});

/** Text of `min` to `max` code points, after trimming with `trim`. */
export function text(min: number, max: number, options: { trim?: boolean } = {}) {
  const base = options.trim ? z.string().trim() : z.string();
  return base
    .refine(
      // Counting the code points of a huge text is slow; its code units are at most twice as many.
      (value) => value.length <= 2 * max && within([...value].length, min, max),
      { error: min === 0 ? `Must have at most ${max} characters.` : `Must have ${min} to ${max} characters.` },
    )
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max });
}

function within(length: number, min: number, max: number): boolean {
  return length >= min && length <= max;
}

export const nameField = text(1, 200, { trim: true });
export const descriptionField = text(0, 10_000);

/** An id in a body. An id in a path may be any text: a malformed one is 404. */
export const idField = z.uuid({ error: 'Must be an id.' });

const limits = { error: 'Must be a number from 1 to 100.' };
export const limitField = z.int(limits).min(1, limits).max(100, limits).default(50).describe('Items per page.');
/** Opaque; decodeCursor checks that it belongs to the list. */
export const cursorField = z
  .string()
  .refine(isCursor, { error: cursorMessage })
  .optional()
  .describe('`nextCursor` of the previous page, with the same filters; left out for the first page.');

/** Text to be found in names, case-insensitively. */
export const qField = text(1, 200).optional().describe('Only items whose name contains this text, in any case.');
export const deletedField = z
  .enum(['only'], { error: 'Must be "only".' })
  .optional()
  .describe('`only` lists the deleted items that can be restored, instead of the live ones.');

/** Size of a value as JSON in UTF-8, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export const metadataField = metadataSchema
  .refine((value) => jsonBytes(value) <= 4_096, {
    error: 'Must have at most 4 kB as JSON.',
  })
  .describe('Your own strings, numbers and booleans by name, up to 4 kB as JSON.');

export { isUuid } from '../../contract/ids.ts';
