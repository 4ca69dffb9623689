/** Starts the next generation of a source, for a user's request or a repair, and supersedes the open one. */
import type { SourceCommand } from '../../../contract/commands.ts';
import type { RecoveryCause, Trigger } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import type { SourceGeneration } from '../../entities/source-generation.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import type { UploadClaim } from '../uploads/claim-upload.ts';

export interface RunOptions {
  runContextExtraction: boolean;
  runArtifactExtraction: boolean;
}

export interface GenerationRequest {
  sourceId: string;
  trigger: Exclude<Trigger, 'create'>;
  /** The signal to the run. */
  command: Extract<SourceCommand, 'reprocess' | 'refresh'>;
  /** Default: those of the previous generation, as a repair needs. */
  options?: RunOptions;
  /** FILE with new data: the claimed upload. */
  claim?: UploadClaim | null;
  /** Set by a repair. */
  cause?: RecoveryCause;
  /** Fences a repair: nothing is written unless this is still the source's generation, and it has not ended. */
  onlyOpenGeneration?: number;
  /** The new generation's number is above this one, which a restore of the database may have lost. */
  above?: number;
  /** Id of a run to end before the command is sent. */
  endRunId?: string;
}

interface CurrentGeneration
  extends ColumnsOf<typeof Source, 'type' | 'status' | 'ownerId' | 'generation'>,
    ColumnsOf<
      typeof SourceGeneration,
      'outcome' | 'contentKey' | 'contentGeneration' | 'runContextExtraction' | 'runArtifactExtraction' | 'repairs'
    > {
  fetch: boolean;
}

const lockSource = statement<{ id: string }>(
  'lock-source-to-advance',
  'select id from sources where id = $1 and deleted_at is null for no key update',
);

// A separate statement after the lock: the locking statement's snapshot is older than its wait and lacks the generation
// that a concurrent request has just committed.
const readCurrent = statement<CurrentGeneration>(
  'read-source-with-generation',
  `select s.type, s.status, s.owner_id as "ownerId", s.generation, g.outcome, g.fetches as fetch,
          g.content_key as "contentKey", g.content_generation as "contentGeneration",
          g.run_context_extraction as "runContextExtraction", g.run_artifact_extraction as "runArtifactExtraction",
          g.repairs
   from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = $1`,
);

const supersede = statement(
  'supersede-generation',
  `update source_generations set outcome = 'SUPERSEDED', finished_at = clock_timestamp(), stage = null, found_artifacts = null
   where source_id = $1 and outcome is null`,
);

/**
 * Takes over the stored content from the previous generation, unless the data is new, and context and artifacts from
 * the result generation; the run replaces those that it extracts again.
 */
const insertGeneration = statement(
  'insert-generation',
  `insert into source_generations (
     id, source_id, generation, trigger, fetches, run_context_extraction, run_artifact_extraction, skips_failed_members,
     repairs, claim_etag, content_key, content_type, content_size, content_url, content_generation,
     content_etag, content_last_modified, content_hash, markdown_key, markdown_size, context_key, context_size, context, context_generation, artifacts_generation, cause)
   select uuidv7(), before.source_id, $11, $3, $4, $5, $6,
     case when $3 = 'recovery' then before.skips_failed_members
       else coalesce(s.instructions ->> 'on_member_failure' = 'skip', false) end, $7,
     case when $8 then before.claim_etag else $9 end, stored.content_key, stored.content_type,
     case when $3 = 'update' and s.type = 'CONTENT' then octet_length(s.initial_data ->> 'data')
       else coalesce($10::bigint, stored.content_size) end,
     stored.content_url, stored.content_generation, stored.content_etag, stored.content_last_modified,
     stored.content_hash, shown.markdown_key, shown.markdown_size, shown.context_key, shown.context_size, shown.context, shown.context_generation, shown.artifacts_generation, $12
   from source_generations before join sources s on s.id = before.source_id
   left join source_generations stored on stored.id = before.id and $3 <> 'update'
   left join source_generations shown on shown.id = s.result_generation_id
   where before.source_id = $1 and before.generation = $2`,
);

const advanceSource = statement(
  'advance-source',
  `update sources set generation = $2, status = 'PENDING', run_open = false, revision = revision + 1,
     content_size = case when $3 then coalesce($4::bigint, 0) else content_size end, updated_at = now(), checked_at = now(), stuck_since = null, reminded_at = null
   where id = $1`,
);

const insertCommand = statement(
  'insert-generation-command',
  'insert into outbox (owner_id, source_id, command, generation, end_run_id) values ($1, $2, $3, $4, $5)',
);

/**
 * Whether the new generation must fetch: on refresh, on new data, without stored content, or when it replaces an open
 * generation that had not fetched yet. CONTENT never fetches.
 */
function mustFetch(present: CurrentGeneration, trigger: Trigger): boolean {
  if (present.type === 'CONTENT') return false;
  // A composition is always joined again: otherwise it would stay `stale`.
  if (present.type === 'COMPOSITION' || trigger === 'refresh' || trigger === 'update') return true;
  const interrupted = present.outcome === null && present.fetch && present.contentGeneration !== present.generation;
  return present.contentKey === null || interrupted;
}

/**
 * Writes the next generation and its command. Returns the new generation's number, or null when the source is gone
 * or the fence does not hold. Runs inside the caller's transaction.
 */
export async function startGeneration(session: Session, request: GenerationRequest): Promise<number | null> {
  if ((await queryOne(session, lockSource, [request.sourceId])) === null) return null;
  const present = await queryOne(session, readCurrent, [request.sourceId]);
  if (present === null) return null;
  const { onlyOpenGeneration } = request;
  if (onlyOpenGeneration !== undefined && (present.generation !== onlyOpenGeneration || present.outcome !== null)) {
    return null;
  }
  const options = request.options ?? present;
  const next = Math.max(present.generation, request.above ?? 0) + 1;
  const keepsClaim = request.trigger === 'reprocess' || request.trigger === 'recovery';
  await query(session, supersede, [request.sourceId]);
  await query(session, insertGeneration, [
    request.sourceId,
    present.generation,
    request.trigger,
    mustFetch(present, request.trigger),
    options.runContextExtraction,
    options.runArtifactExtraction,
    request.trigger === 'recovery' ? present.repairs + 1 : 0,
    keepsClaim,
    request.claim?.etag ?? null,
    request.claim?.sizeBytes ?? null,
    next,
    request.cause ?? null,
  ]);
  // New data has no stored content yet.
  const claimed = request.claim?.sizeBytes ?? null;
  await query(session, advanceSource, [request.sourceId, next, request.trigger === 'update', claimed]);
  await query(session, insertCommand, [
    present.ownerId,
    request.sourceId,
    request.command,
    next,
    request.endRunId ?? null,
  ]);
  return next;
}
