/** The parts of a source that clients write: their form, by the source's type. */
import { z } from 'zod';
import type { SourceType } from '../../../../contract/statuses.ts';
import type { Egress } from '../../../../platform/egress.ts';
import { badRequest, type ErrorDetail } from '../../errors.ts';
import { isUuid, jsonBytes } from '../../input.ts';

const MOST_CONTENT_BYTES = 5 * 1024 * 1024;
const MOST_INSTRUCTIONS_BYTES = 16 * 1024;
const MOST_MEMBERS = 100;

/** Unknown keys are kept and returned. */
export const initialDataField = z.looseObject({
  data: z.unknown().meta({
    type: ['string', 'array'],
    items: { type: 'string' },
    description:
      'CONTENT: the text, up to 5 MiB. URI: an http or https URL. FILE: the `fileKey` of an upload grant, once the file is there. COMPOSITION: 1 to 100 ids of sources of the same space, as an array or as one text.',
  }),
});

export const instructionsField = z
  .looseObject({
    postback_url: z.string().optional().describe('Gets a signed POST when a generation of the source ends.'),
    on_member_failure: z
      .enum(['fail', 'skip'])
      .optional()
      .describe('COMPOSITION: what becomes of it when a member did not complete; `fail` where nothing is said.'),
  })
  .refine((value) => jsonBytes(value) <= MOST_INSTRUCTIONS_BYTES, { error: 'Must have at most 16 kB as JSON.' });

/** What the data of a source means, once its form is right. */
export type SourceData =
  | { type: 'CONTENT'; text: string }
  | { type: 'URI'; url: URL }
  | { type: 'FILE'; fileKey: string }
  | { type: 'COMPOSITION'; memberIds: string[] };

function parseText(data: unknown): SourceData | string {
  if (typeof data !== 'string') return 'Must be the text, as a string.';
  if (data === '') return 'Must not be empty.';
  if (Buffer.byteLength(data) > MOST_CONTENT_BYTES) return 'Must have at most 5 MiB as UTF-8.';
  return { type: 'CONTENT', text: data };
}

/** The egress client gives reasons that read on from a field's name. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

function parseUrl(data: unknown, egress: Egress): SourceData | string {
  if (typeof data !== 'string') return 'Must be a URL, as a string.';
  const check = egress.checkUrl(data);
  return check.ok ? { type: 'URI', url: check.url } : sentence(check.reason);
}

function parseFileKey(data: unknown): SourceData | string {
  if (typeof data !== 'string' || data === '') return 'Must be the fileKey of an upload grant.';
  return { type: 'FILE', fileKey: data };
}

/** An array of ids, or one string with ids between commas or white space. */
function parseMembers(data: unknown): SourceData | string {
  const ids = typeof data === 'string' ? data.split(/[\s,]+/).filter((id) => id !== '') : data;
  if (!Array.isArray(ids)) return 'Must be a list of source ids.';
  if (ids.length < 1 || ids.length > MOST_MEMBERS) return `Must name 1 to ${MOST_MEMBERS} sources.`;
  const memberIds: string[] = [];
  for (const id of ids) {
    if (typeof id !== 'string' || !isUuid(id)) return `"${String(id).slice(0, 40)}" is not an id.`;
    if (memberIds.includes(id.toLowerCase())) return `The source ${id} is named twice.`;
    memberIds.push(id.toLowerCase());
  }
  return { type: 'COMPOSITION', memberIds };
}

/**
 * Checks `initial_data.data` by the type, and the postback's URL by the same rules as a URI.
 * @throws AppError 400 naming each wrong field.
 */
export function parseSourceData(
  type: SourceType,
  data: unknown,
  instructions: { postback_url?: string | undefined },
  egress: Egress,
): SourceData {
  const parsers = {
    CONTENT: () => parseText(data),
    URI: () => parseUrl(data, egress),
    FILE: () => parseFileKey(data),
    COMPOSITION: () => parseMembers(data),
  };
  const details: ErrorDetail[] = [];
  const parsed = parsers[type]();
  if (typeof parsed === 'string') details.push({ field: 'initial_data.data', message: parsed });
  if (instructions.postback_url !== undefined) {
    const check = egress.checkUrl(instructions.postback_url);
    if (!check.ok) details.push({ field: 'instructions.postback_url', message: sentence(check.reason) });
  }
  if (typeof parsed === 'string' || details.length > 0) {
    throw badRequest(details);
  }
  return parsed;
}
