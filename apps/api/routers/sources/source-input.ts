/** Input fields of a source, checked by its type. */
import { z } from 'zod';
import { parseMemberIds } from '../../../../contract/members.ts';
import { type SourceType, sourceTypes } from '../../../../contract/statuses.ts';
import { nameFromContent } from '../../../../extraction/name.ts';
import type { Egress } from '../../../../platform/egress.ts';
import type { ErrorDetail } from '../../errors.ts';
import { jsonBytes, text } from '../../input.ts';

const MAX_CONTENT_BYTES = 5 * 1024 * 1024;
/** Limit of `instructions`, and of `initial_data` without `data`. */
const MAX_EXTRA_BYTES = 16 * 1024;
const tooLarge = { error: 'Must have at most 16 kB as JSON.' };
/** S3's limit of a key is 1,024 bytes. */
const MAX_KEY_CHARACTERS = 1_024;

/** Unknown keys are stored and returned. */
export const initialDataField = z
  .looseObject({
    data: z.unknown().meta({
      type: ['string', 'array'],
      items: { type: 'string' },
      description:
        'CONTENT: the text, up to 5 MiB. URI: an http or https URL. FILE: the `fileKey` of an upload grant, once the file is there. COMPOSITION: 1 to 100 ids of sources of the same space, as an array or as one text.',
    }),
  })
  .refine(({ data: _, ...rest }) => jsonBytes(rest) <= MAX_EXTRA_BYTES, {
    error: 'Must have at most 16 kB as JSON without `data`.',
  });

export const instructionsField = z
  .looseObject({
    postback_url: z.string().optional().describe('Gets a signed POST when a generation of the source ends.'),
    on_member_failure: z
      .enum(['fail', 'skip'])
      .optional()
      .describe('COMPOSITION: `fail` (default) or `skip` a member that did not complete.'),
  })
  .refine((value) => jsonBytes(value) <= MAX_EXTRA_BYTES, tooLarge);

export const externalIdField = text(1, 255)
  .nullable()
  .describe('An id of your own, unique among the live sources of the space.');

/** Stages of a run that can be switched off; their previous results then stay. */
export const runOptions = {
  run_context_extraction: z.boolean().default(true).describe('`false` keeps the existing context.'),
  run_artifact_extraction: z.boolean().default(true).describe('`false` keeps the existing artifacts.'),
};

/** Parsed `initial_data.data`, by type of the source. */
export type SourceData =
  | { type: 'CONTENT'; text: string }
  | { type: 'URI'; url: URL }
  | { type: 'FILE'; fileKey: string }
  | { type: 'COMPOSITION'; memberIds: string[] };

function parseText(data: unknown): SourceData | string {
  if (typeof data !== 'string') return 'Must be the text, as a string.';
  if (data === '') return 'Must not be empty.';
  if (Buffer.byteLength(data) > MAX_CONTENT_BYTES) return 'Must have at most 5 MiB as UTF-8.';
  return { type: 'CONTENT', text: data };
}

/** A reason of the egress client, which continues a field's name ("must ..."), as a sentence. */
export function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

function parseUrl(data: unknown, egress: Egress): SourceData | string {
  if (typeof data !== 'string') return 'Must be a URL, as a string.';
  const check = egress.checkUrl(data);
  return check.ok ? { type: 'URI', url: check.url } : sentence(check.reason);
}

function parseFileKey(data: unknown): SourceData | string {
  if (typeof data !== 'string' || data === '' || data.length > MAX_KEY_CHARACTERS)
    return 'Must be the fileKey of an upload grant.';
  return { type: 'FILE', fileKey: data };
}

function parseMembers(data: unknown): SourceData | string {
  const members = parseMemberIds(data);
  return members.ok ? { type: 'COMPOSITION', memberIds: members.ids } : members.problem;
}

/** Parses `initial_data.data` by the type of the source; returns null and adds a detail when it is malformed. */
export function parseSourceData(
  type: SourceType,
  data: unknown,
  egress: Egress,
  details: ErrorDetail[],
): SourceData | null {
  const parsers = { CONTENT: parseText, URI: parseUrl, FILE: parseFileKey, COMPOSITION: parseMembers };
  const parsed = parsers[type](data, egress);
  if (typeof parsed !== 'string') return parsed;
  details.push({ field: 'initial_data.data', message: parsed });
  return null;
}

/** Checks the postback URL by the rules of a URI source; adds a detail when it is not valid. */
export function checkPostbackUrl(
  { postback_url }: { postback_url?: string | undefined },
  egress: Egress,
  details: ErrorDetail[],
): void {
  if (postback_url === undefined) return;
  const check = egress.checkUrl(postback_url);
  if (!check.ok) details.push({ field: 'instructions.postback_url', message: sentence(check.reason) });
}

/** Accepts malformed fields, so that the others can still be checked. */
const looseSchema = z.object({
  type: z.enum(sourceTypes).optional().catch(undefined),
  initial_data: z.looseObject({ data: z.unknown() }).optional().catch(undefined),
  instructions: z
    .looseObject({ postback_url: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Problems of the data and the postback URL in an input that may be malformed; `type` is used where it has none. */
export function sourceProblems(input: unknown, egress: Egress, type?: SourceType): ErrorDetail[] {
  const { data: parts } = looseSchema.safeParse(input);
  const details: ErrorDetail[] = [];
  const known = parts?.type ?? type;
  if (known && parts?.initial_data) parseSourceData(known, parts.initial_data.data, egress, details);
  if (parts?.instructions) checkPostbackUrl(parts.instructions, egress, details);
  return details;
}

/** The start of a text, cut to the 200 characters of a name. */
export function firstCharacters(text: string): string {
  return [...text.trim()].slice(0, 200).join('').trim();
}

/** The default name of a source; the run may find a better one in the content. */
export function nameOf(data: SourceData): string {
  switch (data.type) {
    case 'CONTENT':
      return nameFromContent(data.text);
    case 'URI': {
      return firstCharacters(`${data.url.host}${data.url.pathname === '/' ? '' : data.url.pathname}`);
    }
    case 'FILE':
      // The name of the file is known once the upload is claimed.
      return 'File';
    case 'COMPOSITION':
      return data.memberIds.length === 1
        ? 'Composition of 1 source'
        : `Composition of ${data.memberIds.length} sources`;
  }
}
