/**
 * The resources as responses show them, one zod schema each; types are inferred from here and written nowhere else.
 * Times are ISO 8601 UTC with milliseconds, ids UUIDs that clients treat as opaque.
 */
import { z } from 'zod';
import { type SourceErrorCode, sourceErrors } from './errors.ts';
import { artifactKinds, contextSummarySchema, positionSchema } from './extraction.ts';
import { artifactStatuses, postbackStates, scopes, sourceStatuses, sourceTypes, stages } from './statuses.ts';

const id = z.string();
const time = z.iso.datetime();
const count = z.int().min(0);

export const spaceSchema = z.object({
  id,
  name: z.string(),
  description: z.string(),
  createdAt: time,
  updatedAt: time,
});
export type SpaceResource = z.infer<typeof spaceSchema>;

export const spaceWithCountsSchema = spaceSchema.extend({
  /** Live sources by status, all six. */
  sourceCounts: z.record(z.enum(sourceStatuses), count),
});

const collectionFields = z.object({
  id,
  name: z.string(),
  parentId: id.nullable(),
  /** The collection's own live sources, without those of the collections below it. */
  sourceCount: count,
  createdAt: time,
  updatedAt: time,
});
export const collectionSchema = collectionFields;
export const collectionNodeSchema = collectionFields.extend({
  get children() {
    return z.array(collectionNodeSchema);
  },
});
export type CollectionNode = z.infer<typeof collectionNodeSchema>;

const errorCodes = Object.keys(sourceErrors).filter((code): code is SourceErrorCode =>
  Object.hasOwn(sourceErrors, code),
);

/** Why a generation ended FAILED. */
export const generationErrorSchema = z.object({
  code: z.enum(errorCodes),
  stage: z.enum(stages),
  message: z.string(),
  retryable: z.boolean(),
});
export type GenerationError = z.infer<typeof generationErrorSchema>;

/** How a generation ends. What a completed one made stands in its row already. */
export type GenerationEnd =
  | { status: 'COMPLETED' }
  | { status: 'FAILED'; error: GenerationError }
  | { status: 'CANCELED' };

export const postbackStateSchema = z.object({
  id,
  state: z.enum(postbackStates),
  attempts: count,
  lastStatusCode: z.int().nullable(),
  nextAttemptAt: time.nullable(),
});

export const metadataSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'Must be a string, a number or a boolean.' }),
);

export const sourceSchema = z.object({
  id,
  spaceId: id,
  collectionId: id.nullable(),
  type: z.enum(sourceTypes),
  name: z.string(),
  status: z.enum(sourceStatuses),
  generation: z.int(),
  revision: z.int(),
  resultGeneration: z.int().nullable(),
  contextGeneration: z.int().nullable(),
  artifactsGeneration: z.int().nullable(),
  initial_data: z.record(z.string(), z.unknown()),
  /** Only in lists and create answers: CONTENT data was cut at 1,000 characters. */
  truncated: z.literal(true).optional(),
  instructions: z.record(z.string(), z.unknown()),
  metadata: metadataSchema,
  externalId: z.string().nullable(),
  pinned: z.boolean(),
  error: generationErrorSchema.nullable(),
  progress: z.object({ stage: z.enum(stages), startedAt: time }).nullable(),
  postback: postbackStateSchema.nullable(),
  stale: z.boolean(),
  skippedMembers: z.array(z.object({ id, code: z.string() })),
  contentType: z.string().nullable(),
  sizeBytes: count.nullable(),
  createdAt: time,
  updatedAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  deletedAt: time.nullable(),
});
export type SourceResource = z.infer<typeof sourceSchema>;

export const sourceWithContextSchema = sourceSchema.extend({ context: contextSummarySchema.nullable() });

export const artifactSchema = z.object({
  id,
  sourceId: id,
  spaceId: id,
  kind: z.enum(artifactKinds),
  title: z.string(),
  content: z.string(),
  language: z.string().nullable(),
  position: positionSchema,
  metadata: z.record(z.string(), z.unknown()),
  status: z.enum(artifactStatuses),
  promotedSourceId: id.nullable(),
  createdAt: time,
  updatedAt: time,
});

export const uploadGrantSchema = z.object({ uploadUrl: z.url(), publicUrl: z.url(), fileKey: z.string() });

export const apiKeySchema = z.object({
  id,
  name: z.string(),
  prefix: z.string(),
  last4: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: time,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
});
/** The raw key is in the answer to its creation and never again. */
export const createdApiKeySchema = apiKeySchema.extend({ key: z.string() });

/** A postback with every attempt that was made. */
export const postbackDeliverySchema = z.object({
  id,
  generation: z.int(),
  url: z.string(),
  state: z.enum(postbackStates),
  reason: z.string().nullable(),
  nextAttemptAt: time.nullable(),
  createdAt: time,
  attempts: z.array(
    z.object({
      at: time,
      statusCode: z.int().nullable(),
      durationMs: count,
      response: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

export const postbackSecretSchema = z.object({
  secret: z.string(),
  previousSecret: z.string().nullable(),
  previousExpiresAt: time.nullable(),
});

export const errorSchema = z.object({
  error: z.string(),
  message: z.string(),
  code: z.int(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  requestId: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorSchema>;
