/** Writes of a run between begin and finish, fenced by its generation. */
import type { GenerationRef } from '../../../contract/commands.ts';
import type { SourceErrorCode } from '../../../contract/errors.ts';
import type { ContextSummary, ExtractedArtifact } from '../../../contract/extraction.ts';
import type { Stage } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import type { SourceGeneration } from '../../entities/source-generation.ts';
import { jsonb, query, queryOne, type Session, statement } from '../../sql.ts';

/** HTTP validators and hash by which a refresh detects unchanged content; null where the response had none. */
export interface Validators {
  etag: string | null;
  /** The header's value. */
  lastModified: string | null;
  /** SHA-256 (hex) of the bytes. */
  hash: string | null;
}

/** The input of a stage. */
export interface GenerationInput
  extends ColumnsOf<typeof Source, 'type' | 'ownerId' | 'initialData'>,
    ColumnsOf<
      typeof SourceGeneration,
      'skipsFailedMembers' | 'claimEtag' | 'contentKey' | 'contentType' | 'contentUrl'
    > {
  generationId: string;
  /** Milliseconds since the generation began. */
  startedMsAgo: number;
  /** FILE: the upload's key and name. */
  fileKey: string | null;
  filename: string | null;
  /** The generation that stored the content. */
  contentGeneration: number | null;
  /** The validators of the stored content. */
  validators: Validators;
  /** The content is unchanged, and the context or artifacts taken over are of that content. */
  contextIsCurrent: boolean;
  artifactsAreCurrent: boolean;
  /** The Markdown of this generation; null until its context is extracted. */
  markdownKey: string | null;
}

const stageEntered = statement<GenerationInput>(
  'enter-stage',
  `with source as (
     select s.id, s.owner_id, s.generation, s.type, s.initial_data, s.upload_id, g.stage is distinct from $3 as enters
     from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
     where s.id = $1 and s.generation = $2 and s.status = 'PROCESSING' and s.deleted_at is null and g.outcome is null
   ), shown as (
     -- Only for the first attempt of a stage: the repeated checks of members change nothing.
     update sources s set revision = s.revision + 1, updated_at = now() from source
     where source.enters and s.id = source.id and s.generation = source.generation and s.status = 'PROCESSING'
   ), entered as (
     update source_generations g set stage = $3,
       stage_times = jsonb_build_object($3, to_jsonb(now()::timestamptz(3))) || g.stage_times
     from source
     where source.enters and g.source_id = source.id and g.generation = source.generation and g.outcome is null
   )
   select g.id as "generationId", s.type, s.owner_id as "ownerId", s.initial_data as "initialData",
          g.skips_failed_members as "skipsFailedMembers",
          extract(epoch from now() - g.started_at)::float8 * 1000 as "startedMsAgo", u.file_key as "fileKey", u.filename, g.claim_etag as "claimEtag",
          g.content_key as "contentKey", g.content_type as "contentType", g.content_url as "contentUrl",
          g.content_generation as "contentGeneration",
          json_build_object('etag', g.content_etag, 'lastModified', g.content_last_modified,
            'hash', g.content_hash) as "validators",
          g.unchanged and exists (select from source_generations r where r.source_id = s.id
            and r.generation = g.context_generation and r.content_key = g.content_key) as "contextIsCurrent",
          g.unchanged and exists (select from source_generations r where r.source_id = s.id
            and r.generation = g.artifacts_generation and r.content_key = g.content_key) as "artifactsAreCurrent",
          case when g.context_generation = g.generation then g.markdown_key end as "markdownKey"
   from source s join source_generations g on g.source_id = s.id and g.generation = s.generation
   left join uploads u on u.id = s.upload_id`,
);

/**
 * Records the begin of a stage, by its first attempt, and returns the stage's input. Null when the generation has ended
 * or was superseded.
 */
export async function enterStage(
  session: Session,
  { sourceId, generation }: GenerationRef,
  stage: Stage,
): Promise<GenerationInput | null> {
  return queryOne(session, stageEntered, [sourceId, generation, stage]);
}

const failureRecorded = statement(
  'record-failure',
  `update source_generations set failure = $3 where source_id = $1 and generation = $2 and outcome is null`,
);

/** The error of a failed stage attempt, with its message for users. A later attempt may still succeed. */
export interface RecordedFailure {
  code: SourceErrorCode;
  stage: Stage;
  message: string;
}

/** Stores the error of a failed stage attempt with its generation; Temporal gets only the code. */
export async function recordFailure(
  session: Session,
  { sourceId, generation }: GenerationRef,
  failure: RecordedFailure,
): Promise<void> {
  await query(session, failureRecorded, [sourceId, generation, jsonb(failure)]);
}

const failureRead = statement<{ failure: RecordedFailure | null }>(
  'read-failure',
  'select failure from source_generations where source_id = $1 and generation = $2',
);

/** The last recorded failure of this generation, or null. */
export async function readFailure(
  session: Session,
  { sourceId, generation }: GenerationRef,
): Promise<RecordedFailure | null> {
  return (await queryOne(session, failureRead, [sourceId, generation]))?.failure ?? null;
}

export interface StoredContent {
  key: string;
  contentType: string | null;
  sizeBytes: number;
  /** The address after redirects; null for an upload or a composition. */
  url: string | null;
  /** The validators for the next fetch or claim; null for a composition. */
  validators: Validators | null;
}

/** The fence of a progress write: updates the source (`more`: further assignments) if the generation is PROCESSING. */
const fenced = (more = '') => `update sources set revision = revision + 1, updated_at = now()${more}
     where id = $1 and generation = $2 and status = 'PROCESSING' and deleted_at is null
     returning id, generation`;

const contentStored = statement<{ id: string }>(
  'store-content',
  // The members are joined: from here on a composition's run counts as open.
  `with source as (${fenced(', content_size = $5, run_open = true')})
   update source_generations g set content_key = $3, content_type = $4, content_size = $5, content_url = $6,
     content_generation = g.generation, skipped_members = $7, content_etag = $8, content_last_modified = $9,
     content_hash = $10, unchanged = false
   from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     and g.content_generation is distinct from g.generation
   returning g.id`,
);

/** Stores the reference to the source's content, also for later generations. False: fenced out, or stored before. */
export async function storeContent(
  session: Session,
  { sourceId, generation }: GenerationRef,
  content: StoredContent,
  skippedMembers: { id: string; code: string }[] = [],
): Promise<boolean> {
  const row = await queryOne(session, contentStored, [
    sourceId,
    generation,
    content.key,
    content.contentType,
    content.sizeBytes,
    content.url,
    jsonb(skippedMembers),
    content.validators?.etag ?? null,
    content.validators?.lastModified ?? null,
    content.validators?.hash ?? null,
  ]);
  return row !== null;
}

const unchangedStored = statement(
  'store-unchanged',
  `with source as (${fenced()})
   update source_generations g set content_generation = g.generation, content_etag = $3, content_last_modified = $4,
     content_hash = $5, unchanged = true
   from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     and g.content_generation is distinct from g.generation and g.content_key is not null`,
);

/** Records that the stored content, taken over by the generation, is unchanged. */
export async function storeUnchanged(
  session: Session,
  { sourceId, generation }: GenerationRef,
  { etag, lastModified, hash }: Validators,
): Promise<void> {
  await query(session, unchangedStored, [sourceId, generation, etag, lastModified, hash]);
}

/**
 * Condition: the results are of the stored content. A failover may have lost that content meanwhile, and the run may
 * have fetched it again.
 */
const ofTheContent = (parameter: string) =>
  `g.content_key is not distinct from ${parameter} and (not g.fetches or g.content_generation = g.generation)`;

const contextStored = statement<{ id: string }>(
  'store-context',
  `with source as (${fenced()})
   update source_generations g set markdown_key = $3, context_key = $4, context = $5, context_generation = g.generation,
     markdown_size = $8, context_size = $9,
     found_artifacts = coalesce(g.found_artifacts, $7),
     stage = case when $7::jsonb is null then g.stage else 'artifacts' end,
     stage_times = case when $7::jsonb is null then '{}'
       else jsonb_build_object('artifacts', to_jsonb(now()::timestamptz(3))) end || g.stage_times
   from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     and g.context_generation is distinct from g.generation and ${ofTheContent('$6')}
   returning g.id`,
);

/**
 * Stores the context of the content at `contentKey` with the generation's row; it is visible after the generation
 * completes. `artifacts` are stored with it if they were extracted together: the stage `artifacts` is then complete.
 * False: fenced out, or stored before.
 */
export async function storeContext(
  session: Session,
  { sourceId, generation }: GenerationRef,
  contentKey: string | null,
  context: {
    markdownKey: string;
    markdownSize: number;
    contextKey: string;
    contextSize: number;
    summary: ContextSummary;
  },
  artifacts: ExtractedArtifact[] | null = null,
): Promise<boolean> {
  const row = await queryOne(session, contextStored, [
    sourceId,
    generation,
    context.markdownKey,
    context.contextKey,
    jsonb(context.summary),
    contentKey,
    artifacts === null ? null : jsonb(artifacts),
    context.markdownSize,
    context.contextSize,
  ]);
  return row !== null;
}

const contextKept = statement(
  'keep-context',
  `with source as (${fenced()})
   update source_generations g set context_generation = g.generation
   from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     and g.unchanged and g.context_key is not null and g.context_generation is distinct from g.generation`,
);

/** Records that the context taken over by the generation is current, since the content is unchanged. */
export async function keepContext(session: Session, { sourceId, generation }: GenerationRef): Promise<void> {
  await query(session, contextKept, [sourceId, generation]);
}

const artifactsKept = statement(
  'keep-artifacts',
  `with source as (${fenced()})
   update source_generations g set artifacts_generation = g.generation
   from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     and g.unchanged and g.artifacts_generation is distinct from g.generation`,
);

/** Records that the source's artifacts are current, since the content is unchanged. */
export async function keepArtifacts(session: Session, { sourceId, generation }: GenerationRef): Promise<void> {
  await query(session, artifactsKept, [sourceId, generation]);
}

const artifactsStored = statement(
  'store-artifacts',
  `with source as (${fenced()})
   update source_generations g set found_artifacts = $3
   from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     and g.found_artifacts is null and ${ofTheContent('$4')}`,
);

/** Stores the artifacts of the content at `contentKey` with the generation's row, until its end moves them. */
export async function storeArtifacts(
  session: Session,
  { sourceId, generation }: GenerationRef,
  contentKey: string | null,
  artifacts: ExtractedArtifact[],
): Promise<void> {
  await query(session, artifactsStored, [sourceId, generation, jsonb(artifacts), contentKey]);
}
