/**
 * The resources as responses show them, one zod schema each; types are inferred from here and written nowhere else.
 * Times are ISO 8601 UTC with milliseconds, ids UUIDs that clients treat as opaque. The texts in `meta` are published
 * in the documentation; `id` is the name of the schema there.
 */
import { z } from 'zod';
import { type SourceErrorCode, sourceErrors } from './errors.ts';
import { examples } from './examples.ts';
import { artifactKinds, contextSummarySchema, positionSchema } from './extraction.ts';
import {
  artifactStatuses,
  outcomes,
  plans,
  postbackStates,
  recoveryCauses,
  scopes,
  sourceStatuses,
  sourceTypes,
  stages,
  ticketStatuses,
  ticketTypes,
  triggers,
} from './statuses.ts';

const id = z.string();
const time = z.iso.datetime();
const count = z.int().min(0);
const createdAt = time;
const updatedAt = time.describe('Of the last visible change.');

const spaceFields = z.object({
  id,
  name: z.string(),
  description: z.string(),
  createdAt,
  updatedAt,
});
export const spaceSchema = spaceFields.meta({
  id: 'Space',
  description: 'A container of collections and sources.',
  examples: [examples.space],
});
export type SpaceResource = z.infer<typeof spaceSchema>;

export const spaceWithCountsSchema = spaceFields
  .extend({
    sourceCounts: z.record(z.enum(sourceStatuses), count).describe('Number of live sources by status, all six.'),
  })
  .meta({ id: 'SpaceWithCounts', description: 'A space with source counts.', examples: [examples.spaceWithCounts] });

const collectionFields = z.object({
  id,
  name: z.string(),
  parentId: id.nullable().describe('The parent collection; null at the top level.'),
  sourceCount: count.describe('Live sources directly in the collection, without those in collections below it.'),
  createdAt,
  updatedAt,
});
export const collectionSchema = collectionFields.meta({
  id: 'Collection',
  description: 'A folder of a space, possibly inside another collection.',
  examples: [examples.collection],
});
export const collectionNodeSchema = collectionFields
  .extend({
    get children() {
      return z.array(collectionNodeSchema).describe('By name.');
    },
  })
  .meta({
    id: 'CollectionNode',
    description: 'A collection with the collections below it.',
    examples: [examples.collectionNode],
  });
export type CollectionNode = z.infer<typeof collectionNodeSchema>;

const errorCodes = Object.keys(sourceErrors).filter((code): code is SourceErrorCode =>
  Object.hasOwn(sourceErrors, code),
);

/** Why a generation ended FAILED. */
export const generationErrorSchema = z
  .object({
    code: z.enum(errorCodes).describe('The error, for programs to branch on.'),
    stage: z.enum(stages).describe('The stage that failed.'),
    message: z.string().describe('The error and its remedy, for people.'),
    retryable: z.boolean().describe('Whether the same request may succeed later without a change.'),
  })
  .meta({ id: 'SourceError', description: 'Why a generation ended FAILED.', examples: [examples.generationError] });
export type GenerationError = z.infer<typeof generationErrorSchema>;

/** Why the processing of an artifact FAILED: its `metadata.error`. */
export type ArtifactError = Pick<GenerationError, 'code' | 'message'>;

/** How a generation ends. The results of a completed one are in its row already. */
export type GenerationEnd =
  | { status: 'COMPLETED' }
  | { status: 'FAILED'; error: GenerationError }
  | { status: 'CANCELED' };

const nextAttemptAt = time.nullable().describe('Time of the next delivery attempt; null if there will be none.');

export const postbackStateSchema = z.object({
  id: id.describe('The webhook-id that the receiver sees.'),
  state: z.enum(postbackStates).describe('`disabled`: the receiver responded with 410.'),
  attempts: count,
  lastStatusCode: z.int().nullable().describe('Null without a response.'),
  nextAttemptAt,
});

export const metadataSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'Must be a string, a number or a boolean.' }),
);

const skippedMembersSchema = z.array(z.object({ id, code: z.string() }));

const sourceFields = z.object({
  id,
  spaceId: id,
  collectionId: id.nullable(),
  type: z.enum(sourceTypes),
  name: z.string().describe('As it was sent, or a name from the content.'),
  status: z.enum(sourceStatuses).describe('CREATED, PENDING, PROCESSING, then COMPLETED, FAILED or CANCELED.'),
  generation: z
    .int()
    .describe('Counts create, reprocess, refresh, new initial_data and repairs by the service, from 1.'),
  revision: z.int().describe('Grows with every visible change; send it as `since` to wait for the next one.'),
  resultGeneration: z.int().nullable().describe('The last completed generation, whose results are shown.'),
  contextGeneration: z.int().nullable().describe('The generation that made the context.'),
  artifactsGeneration: z.int().nullable().describe('The generation that found the artifacts.'),
  initial_data: z.record(z.string(), z.unknown()).describe('As it was sent.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('Only in lists and create responses: the text of CONTENT was cut at 1,000 characters.'),
  instructions: z.record(z.string(), z.unknown()).describe('As they were sent.'),
  metadata: metadataSchema.describe('As it was sent.'),
  externalId: z.string().nullable().describe('An id set by the owner, unique among the live sources of a space.'),
  pinned: z.boolean().describe('Pinned sources come first in lists.'),
  error: generationErrorSchema.nullable(),
  progress: z
    .object({ stage: z.enum(stages), startedAt: time })
    .nullable()
    .describe('The current stage of the run; null without a run.'),
  postback: postbackStateSchema.nullable().describe('The newest postback, or null.'),
  stale: z.boolean().describe('COMPOSITION: a member has newer results than those that were used.'),
  skippedMembers: skippedMembersSchema.describe(
    'COMPOSITION: members left out by `on_member_failure: "skip"`, with the error code of each.',
  ),
  contentType: z.string().nullable().describe('Of the stored content.'),
  sizeBytes: count.nullable().describe('Of the stored content.'),
  createdAt,
  updatedAt,
  startedAt: time.nullable().describe('When the run of this generation began.'),
  finishedAt: time.nullable().describe('When this generation ended.'),
  deletedAt: time.nullable(),
});
export const sourceSchema = sourceFields.meta({
  id: 'Source',
  description: 'One item of content, processed by a durable run.',
  examples: [examples.source],
});
export type SourceResource = z.infer<typeof sourceSchema>;

/** Events of the streams of changes. */
export const sourceEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('source'), source: sourceSchema }),
  /** Changes are sent from now on. */
  z.object({ event: z.literal('ready') }),
  /** Too many changes were missed: read the list again. */
  z.object({ event: z.literal('reset') }),
]);
export type SourceEvent = z.infer<typeof sourceEventSchema>;

export const sourceWithContextSchema = sourceFields
  .extend({ context: contextSummarySchema.nullable().describe('Null before the first result.') })
  .meta({
    id: 'SourceWithContext',
    description: 'A source with a summary of its context.',
    examples: [examples.sourceWithContext],
  });

/** One accepted request to process a source, or one recovery. */
export const generationSchema = z
  .object({
    generation: z.int().describe('Counts from 1.'),
    trigger: z.enum(triggers).describe('The reason for the generation; `recovery` is a repair by the service.'),
    cause: z.enum(recoveryCauses).nullable().describe('Of a recovery: why the previous run was replaced.'),
    options: z
      .object({ run_context_extraction: z.boolean(), run_artifact_extraction: z.boolean() })
      .describe('Stages to run; a stage that is switched off keeps the previous result.'),
    outcome: z.enum(outcomes).nullable().describe('How it ended; null until then.'),
    error: generationErrorSchema.nullable(),
    stage: z.enum(stages).nullable().describe('The current stage of its run; null without a run.'),
    stageTimes: z.partialRecord(z.enum(stages), time).describe('Start time of each stage.'),
    contentType: z.string().nullable().describe('Of the content that it worked on.'),
    sizeBytes: count.nullable().describe('Of the content that it worked on.'),
    unchanged: z.boolean().describe('A refresh found the content unchanged, so the previous results were kept.'),
    skippedMembers: skippedMembersSchema.describe('COMPOSITION: members left out, with the error code of each.'),
    createdAt,
    startedAt: time.nullable().describe('When its run began.'),
    finishedAt: time.nullable(),
  })
  .meta({
    id: 'Generation',
    description: 'One accepted request to process a source, or one recovery.',
    examples: [examples.generation],
  });
export type GenerationResource = z.infer<typeof generationSchema>;

export const artifactSchema = z
  .object({
    id,
    sourceId: id,
    spaceId: id,
    kind: z.enum(artifactKinds),
    title: z.string(),
    content: z.string(),
    truncated: z
      .literal(true)
      .optional()
      .describe('Only in lists: the content was cut at 1,000 characters, or metadata of more than 4 kB left out.'),
    language: z.string().nullable().describe('Of code, in lower case.'),
    position: positionSchema.describe("Position in the source's Markdown."),
    metadata: z.record(z.string(), z.unknown()).describe('Results of processing, by kind.'),
    status: z.enum(artifactStatuses),
    promotedSourceId: id.nullable().describe('The source that was created by promoting the artifact.'),
    createdAt,
    updatedAt,
  })
  .meta({
    id: 'Artifact',
    description: 'A code block, table, link or other item found in a source.',
    examples: [examples.artifact],
  });

const used = z.int().min(0).describe('Current usage.');
const limit = z.int().min(1).describe('Limit of the plan.');

export const usageSchema = z
  .object({
    plan: z.enum(plans),
    sources: z.object({ used, limit }).describe('Sources that are not deleted.'),
    storedBytes: z.object({ used, limit }).describe('Uploads, contents and results, until they are purged.'),
    openRuns: z
      .object({ used, limit })
      .describe('Runs whose generation has not ended, except those that wait for members.'),
    hostFetches: z
      .object({ limit, hosts: z.array(z.object({ host: z.string(), used })) })
      .describe('Fetches of runs from one host per minute; the hosts with the most fetches in the current minute.'),
  })
  .meta({ id: 'Usage', description: 'The quotas of a plan and their usage.', examples: [examples.usage] });

export const uploadGrantSchema = z
  .object({
    uploadUrl: z.url().describe('PUT the file here within 15 minutes, with its Content-Type and length as granted.'),
    publicUrl: z.url().describe('Download URL of the file; it needs no API key.'),
    fileKey: z.string().describe('`initial_data.data` of a FILE source, once the file is uploaded.'),
  })
  .meta({ id: 'UploadGrant', description: 'Permission to upload one file.', examples: [examples.uploadGrant] });

const apiKeyFields = z.object({
  id,
  name: z.string(),
  prefix: z.string(),
  last4: z.string().describe('The last four characters of the key.'),
  scopes: z.array(z.enum(scopes)).describe('`read` allows GET, `write` everything.'),
  createdAt,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable().describe('Accurate to 1 min.'),
});
export const apiKeySchema = apiKeyFields.meta({
  id: 'ApiKey',
  description: 'An API key, without the key itself.',
  examples: [examples.apiKey],
});
/** The key itself is only in the response to its creation. */
export const createdApiKeySchema = apiKeyFields
  .extend({
    key: z
      .string()
      .nullable()
      .describe('The key itself. Shown only here: null in the stored response to a repeated request.'),
  })
  .meta({ id: 'CreatedApiKey', description: 'A new key.', examples: [examples.createdApiKey] });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** A postback with all its delivery attempts. */
export const postbackDeliverySchema = z
  .object({
    id: id.describe('The webhook-id that the receiver sees.'),
    generation: z.int().describe('The generation whose end it reports.'),
    url: z.string(),
    state: z.enum(postbackStates),
    reason: z.string().nullable().describe('Why its delivery was given up.'),
    nextAttemptAt,
    createdAt,
    attempts: z.array(
      z.object({
        at: time,
        statusCode: z.int().nullable().describe('Null without a response.'),
        durationMs: count,
        response: z.string().nullable().describe('The first 1 kB of the response.'),
        error: z.string().nullable().describe('Why there was no response.'),
      }),
    ),
  })
  .meta({
    id: 'PostbackDelivery',
    description: 'A postback with its delivery attempts.',
    examples: [examples.postbackDelivery],
  });

/** The result of sending a sample postback. */
export const postbackTestSchema = z
  .object({
    delivered: z.boolean().describe('Whether the receiver responded with 2xx within 15 s.'),
    statusCode: z.int().nullable().describe('Null without a response.'),
    durationMs: count,
    response: z.string().nullable().describe('The first 1 kB of the response.'),
    error: z.string().nullable().describe('Why there was no response.'),
  })
  .meta({
    id: 'PostbackTest',
    description: 'The result of sending a sample postback.',
    examples: [examples.postbackTest],
  });

export const postbackSecretSchema = z
  .object({
    secret: z.string(),
    previousSecret: z.string().nullable().describe('Also signs postbacks for 24 h after a rotation.'),
    previousExpiresAt: time.nullable(),
  })
  .meta({
    id: 'PostbackSecret',
    description: 'The secret that signs postbacks (HMAC-SHA256, Standard Webhooks).',
    examples: [examples.postbackSecret],
  });

export const ticketSchema = z
  .object({
    id,
    type: z.enum(ticketTypes),
    status: z.enum(ticketStatuses).describe('PENDING until the mail server has accepted it.'),
    createdAt,
  })
  .meta({ id: 'Ticket', description: 'A support request.', examples: [examples.ticket] });

export const errorSchema = z
  .object({
    error: z.string().describe('The reason phrase of the status.'),
    message: z.string().describe('The error and its remedy, for people.'),
    code: z.int().describe('The HTTP status.'),
    details: z
      .array(z.object({ field: z.string().describe('Dotted path: `initial_data.data`.'), message: z.string() }))
      .optional()
      .describe('The fields that the error is about.'),
    requestId: z.string().optional().describe('Quote it when you report a 5xx. The same as the header X-Request-Id.'),
  })
  .meta({ id: 'Error', description: 'The body of every error response.', examples: [examples.error] });
export type ErrorBody = z.infer<typeof errorSchema>;

/** The result of a bulk action for one source. */
export const sourceActionResultSchema = z
  .discriminatedUnion('ok', [
    z.object({ id, ok: z.literal(true), source: sourceSchema.describe('The source after the action.') }),
    z.object({ id, ok: z.literal(false), error: errorSchema.describe('The error response of the single call.') }),
  ])
  .meta({
    id: 'SourceActionResult',
    description: 'The result of a bulk action for one source.',
    examples: [examples.sourceActionDone, examples.sourceActionRefused],
  });
