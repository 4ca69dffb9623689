/**
 * The resources as responses show them, one zod schema each; types are inferred from here and written nowhere else.
 * Times are ISO 8601 UTC with milliseconds, ids UUIDs that clients treat as opaque. What `meta` says is read by people
 * in the documentation; `id` names the schema there.
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
  description: 'What holds collections and sources.',
  examples: [examples.space],
});
export type SpaceResource = z.infer<typeof spaceSchema>;

export const spaceWithCountsSchema = spaceFields
  .extend({
    sourceCounts: z.record(z.enum(sourceStatuses), count).describe('Live sources by status, all six.'),
  })
  .meta({ id: 'SpaceWithCounts', description: 'A space, counted.', examples: [examples.spaceWithCounts] });

const collectionFields = z.object({
  id,
  name: z.string(),
  parentId: id.nullable().describe('The collection that this one lies in; null at the top level.'),
  sourceCount: count.describe("The collection's own live sources, without those of the collections below it."),
  createdAt,
  updatedAt,
});
export const collectionSchema = collectionFields.meta({
  id: 'Collection',
  description: 'A folder of a space, which may lie in another.',
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
    description: 'A collection with those below it.',
    examples: [examples.collectionNode],
  });
export type CollectionNode = z.infer<typeof collectionNodeSchema>;

const errorCodes = Object.keys(sourceErrors).filter((code): code is SourceErrorCode =>
  Object.hasOwn(sourceErrors, code),
);

/** Why a generation ended FAILED. */
export const generationErrorSchema = z
  .object({
    code: z.enum(errorCodes).describe('What went wrong, for programs to branch on.'),
    stage: z.enum(stages).describe('Where it went wrong.'),
    message: z.string().describe('What went wrong and what to do, for people.'),
    retryable: z.boolean().describe('Whether the same request may succeed later without a change.'),
  })
  .meta({ id: 'SourceError', description: 'Why a generation ended FAILED.', examples: [examples.generationError] });
export type GenerationError = z.infer<typeof generationErrorSchema>;

/** Why the processing of an artifact FAILED: its `metadata.error`. */
export type ArtifactError = Pick<GenerationError, 'code' | 'message'>;

/** How a generation ends. What a completed one made stands in its row already. */
export type GenerationEnd =
  | { status: 'COMPLETED' }
  | { status: 'FAILED'; error: GenerationError }
  | { status: 'CANCELED' };

const nextAttemptAt = time.nullable().describe('When it is tried again; null when it is not.');

export const postbackStateSchema = z.object({
  id: id.describe('The webhook-id that the receiver sees.'),
  state: z.enum(postbackStates).describe('`disabled`: the receiver answered 410.'),
  attempts: count,
  lastStatusCode: z.int().nullable().describe('Null where nothing was answered.'),
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
  name: z.string().describe('As it was sent, else taken from the content.'),
  status: z.enum(sourceStatuses).describe('CREATED, PENDING, PROCESSING, then COMPLETED, FAILED or CANCELED.'),
  generation: z
    .int()
    .describe('Counts create, reprocess, refresh, new initial_data and repairs by the service, from 1.'),
  revision: z.int().describe('Grows with every visible change; `since` takes it.'),
  resultGeneration: z.int().nullable().describe('The last completed generation: what readers see.'),
  contextGeneration: z.int().nullable().describe('The generation that made the context.'),
  artifactsGeneration: z.int().nullable().describe('The generation that found the artifacts.'),
  initial_data: z.record(z.string(), z.unknown()).describe('As it was sent.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('Only in lists and create answers: the text of CONTENT was cut at 1,000 characters.'),
  instructions: z.record(z.string(), z.unknown()).describe('As they were sent.'),
  metadata: metadataSchema.describe("The owner's own, as it was sent."),
  externalId: z.string().nullable().describe("The owner's own id, unique among the live sources of a space."),
  pinned: z.boolean().describe('Pinned sources come first in lists.'),
  error: generationErrorSchema.nullable(),
  progress: z
    .object({ stage: z.enum(stages), startedAt: time })
    .nullable()
    .describe('Where the run is; null without one.'),
  postback: postbackStateSchema.nullable().describe('The newest postback; null without one.'),
  stale: z.boolean().describe('COMPOSITION: a member has newer results than were used.'),
  skippedMembers: skippedMembersSchema.describe(
    'COMPOSITION: members left out by `on_member_failure: "skip"`, and why.',
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

/** What streams of changes send. */
export const sourceEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('source'), source: sourceSchema }),
  /** From now on changes are sent. */
  z.object({ event: z.literal('ready') }),
  /** More was missed than is sent again: read the list. */
  z.object({ event: z.literal('reset') }),
]);
export type SourceEvent = z.infer<typeof sourceEventSchema>;

export const sourceWithContextSchema = sourceFields
  .extend({ context: contextSummarySchema.nullable().describe('Null before the first result.') })
  .meta({
    id: 'SourceWithContext',
    description: 'A source and what its context is like.',
    examples: [examples.sourceWithContext],
  });

/** One round of work on a source. */
export const generationSchema = z
  .object({
    generation: z.int().describe('Counts from 1.'),
    trigger: z.enum(triggers).describe('What made it; `recovery` is a repair by the service.'),
    cause: z.enum(recoveryCauses).nullable().describe('Of a recovery: why the run before it was replaced.'),
    options: z
      .object({ run_context_extraction: z.boolean(), run_artifact_extraction: z.boolean() })
      .describe('What it was to do; a stage that is switched off keeps the result before.'),
    outcome: z.enum(outcomes).nullable().describe('How it ended; null while it has not.'),
    error: generationErrorSchema.nullable(),
    stage: z.enum(stages).nullable().describe('Where its run is; null without one.'),
    stageTimes: z.partialRecord(z.enum(stages), time).describe('When each of its stages began.'),
    contentType: z.string().nullable().describe('Of the content that it worked on.'),
    sizeBytes: count.nullable().describe('Of the content that it worked on.'),
    unchanged: z
      .boolean()
      .describe('A refresh that found what was stored already, so what had been made of it was kept.'),
    skippedMembers: skippedMembersSchema.describe('COMPOSITION: members left out, and why.'),
    createdAt,
    startedAt: time.nullable().describe('When its run began.'),
    finishedAt: time.nullable(),
  })
  .meta({ id: 'Generation', description: 'One round of work on a source.', examples: [examples.generation] });
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
    position: positionSchema.describe("Where in the source's Markdown."),
    metadata: z.record(z.string(), z.unknown()).describe('What processing found, by kind.'),
    status: z.enum(artifactStatuses),
    promotedSourceId: id.nullable().describe('The source that a promote made of it.'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Artifact', description: 'Something found in a source.', examples: [examples.artifact] });

const used = z.int().min(0).describe('Of the limit.');
const limit = z.int().min(1).describe('Of the plan.');

export const usageSchema = z
  .object({
    plan: z.enum(plans),
    sources: z.object({ used, limit }).describe('Sources that are not deleted.'),
    storedBytes: z.object({ used, limit }).describe('Uploads, contents and results, until they are purged.'),
    openRuns: z
      .object({ used, limit })
      .describe('Runs from their start until their generation has ended, but not while they wait for members.'),
    hostFetches: z
      .object({ limit, hosts: z.array(z.object({ host: z.string(), used })) })
      .describe('Fetches of runs at one host in a minute: the hosts that most was fetched from in the present one.'),
  })
  .meta({ id: 'Usage', description: 'The quotas of a plan, and what is used of them.', examples: [examples.usage] });

export const uploadGrantSchema = z
  .object({
    uploadUrl: z.url().describe('PUT the file here within 15 minutes, with its Content-Type and length as granted.'),
    publicUrl: z.url().describe('Where whoever knows it can download the file.'),
    fileKey: z.string().describe('`initial_data.data` of a FILE source, once the file is there.'),
  })
  .meta({ id: 'UploadGrant', description: 'Leave to PUT one file.', examples: [examples.uploadGrant] });

const apiKeyFields = z.object({
  id,
  name: z.string(),
  prefix: z.string(),
  last4: z.string().describe('The last four characters of the key.'),
  scopes: z.array(z.enum(scopes)).describe('`read` opens GET, `write` everything.'),
  createdAt,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable().describe('To the minute.'),
});
export const apiKeySchema = apiKeyFields.meta({
  id: 'ApiKey',
  description: 'What may be shown of a key.',
  examples: [examples.apiKey],
});
/** The raw key is in the answer to its creation and never again. */
export const createdApiKeySchema = apiKeyFields
  .extend({
    key: z
      .string()
      .nullable()
      .describe('The key itself: shown here and never again, so null where a request is answered a second time.'),
  })
  .meta({ id: 'CreatedApiKey', description: 'A new key.', examples: [examples.createdApiKey] });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** A postback with every attempt that was made. */
export const postbackDeliverySchema = z
  .object({
    id: id.describe('The webhook-id that the receiver sees.'),
    generation: z.int().describe('The generation whose end it tells.'),
    url: z.string(),
    state: z.enum(postbackStates),
    reason: z.string().nullable().describe('Why it was given up.'),
    nextAttemptAt,
    createdAt,
    attempts: z.array(
      z.object({
        at: time,
        statusCode: z.int().nullable().describe('Null where nothing was answered.'),
        durationMs: count,
        response: z.string().nullable().describe('The first 1 kB of the answer.'),
        error: z.string().nullable().describe('What kept it from an answer.'),
      }),
    ),
  })
  .meta({
    id: 'PostbackDelivery',
    description: 'A postback with its attempts.',
    examples: [examples.postbackDelivery],
  });

/** What came back of a sample. */
export const postbackTestSchema = z
  .object({
    delivered: z.boolean().describe('Whether it was answered with a 2xx within 15 s.'),
    statusCode: z.int().nullable().describe('Null where nothing was answered.'),
    durationMs: count,
    response: z.string().nullable().describe('The first 1 kB of the answer.'),
    error: z.string().nullable().describe('What kept it from an answer.'),
  })
  .meta({ id: 'PostbackTest', description: 'What came back of a sample.', examples: [examples.postbackTest] });

export const postbackSecretSchema = z
  .object({
    secret: z.string(),
    previousSecret: z.string().nullable().describe('Signs too for 24 h after a rotation.'),
    previousExpiresAt: time.nullable(),
  })
  .meta({
    id: 'PostbackSecret',
    description: 'What postbacks are signed with (HMAC-SHA256, Standard Webhooks).',
    examples: [examples.postbackSecret],
  });

export const ticketSchema = z
  .object({
    id,
    type: z.enum(ticketTypes),
    status: z.enum(ticketStatuses).describe('PENDING until the mail server of support has taken it.'),
    createdAt,
  })
  .meta({ id: 'Ticket', description: 'A question to support.', examples: [examples.ticket] });

export const errorSchema = z
  .object({
    error: z.string().describe('The name of the status.'),
    message: z.string().describe('What is wrong and what to do, for people.'),
    code: z.int().describe('The HTTP status.'),
    details: z
      .array(z.object({ field: z.string().describe('Dotted path: `initial_data.data`.'), message: z.string() }))
      .optional()
      .describe('The fields that it is about.'),
    requestId: z.string().optional().describe('Quote it when you ask about a 5xx; X-Request-Id of every answer.'),
  })
  .meta({ id: 'Error', description: 'Every refusal and failure.', examples: [examples.error] });
export type ErrorBody = z.infer<typeof errorSchema>;

/** What became of one id of a bulk action. */
export const sourceActionResultSchema = z
  .discriminatedUnion('ok', [
    z.object({ id, ok: z.literal(true), source: sourceSchema.describe('As it is after the action.') }),
    z.object({ id, ok: z.literal(false), error: errorSchema.describe('What the single call would have answered.') }),
  ])
  .meta({
    id: 'SourceActionResult',
    description: 'What became of one source of a bulk action.',
    examples: [examples.sourceActionDone, examples.sourceActionRefused],
  });
