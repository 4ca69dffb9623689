/** Fields that many procedures take, with the limits of the contract. Lengths count Unicode code points. */
import { z } from 'zod';
import { metadataSchema } from '../../contract/resources.ts';
import { isCursor, notACursor } from './cursor.ts';

// zod's issues do not say whether a field was there at all; only the words are asked for while that is known.
z.config({
  customError: ({ code, input }) =>
    input === undefined && (code === 'invalid_type' || code === 'invalid_value') ? 'Required.' : undefined,
});

/** Text of `least` to `most` code points, after trimming where asked. */
export function text(least: number, most: number, options: { trim?: boolean } = {}) {
  const base = options.trim ? z.string().trim() : z.string();
  return base
    .refine(
      // Counting code points of a huge text is work; its code units are at most twice as many.
      (value) => value.length <= 2 * most && within([...value].length, least, most),
      { error: least === 0 ? `Must have at most ${most} characters.` : `Must have ${least} to ${most} characters.` },
    )
    .meta({ ...(least === 0 ? {} : { minLength: least }), maxLength: most });
}

function within(length: number, least: number, most: number): boolean {
  return length >= least && length <= most;
}

export const nameField = text(1, 200, { trim: true });
export const descriptionField = text(0, 10_000);

/** An id in a body; one in a path is any text, and simply not found. */
export const idField = z.uuid({ error: 'Must be an id.' });

const limits = { error: 'Must be a number from 1 to 100.' };
export const limitField = z.int(limits).min(1, limits).max(100, limits).default(50).describe('So many items at most.');
/** Opaque: what it holds is judged by the list that it came from. */
export const cursorField = z
  .string()
  .refine(isCursor, { error: notACursor })
  .optional()
  .describe('`nextCursor` of the page before, with the same filters; the first page has none.');

/** Words to be found inside of names, in any case. */
export const qField = text(1, 200).optional().describe('Only those whose name holds these words, in any case.');
export const deletedField = z
  .enum(['only'], { error: 'Must be "only".' })
  .optional()
  .describe('`only` lists what is deleted and can be restored, instead of what is there.');

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export const metadataField = metadataSchema
  .refine((value) => jsonBytes(value) <= 4_096, {
    error: 'Must have at most 4 kB as JSON.',
  })
  .describe('Your own: texts, numbers and booleans by name, up to 4 kB.');

export { isUuid } from '../../contract/ids.ts';
