/** A new generation takes the place of the one before it: by a request of the user or by a repair. */
import type { SourceCommand } from '../../../contract/commands.ts';
import type { Outcome, RecoveryCause, SourceStatus, SourceType, Trigger } from '../../../contract/statuses.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import type { UploadClaim } from '../uploads/claim-upload.ts';

export interface RunOptions {
  runContextExtraction: boolean;
  runArtifactExtraction: boolean;
}

export interface GenerationRequest {
  sourceId: string;
  trigger: Exclude<Trigger, 'create'>;
  /** The signal that tells the run. */
  command: Extract<SourceCommand, 'reprocess' | 'refresh'>;
  /** Left out by a repair, which keeps what the generation before was to do. */
  options?: RunOptions;
  /** FILE with new data: what was claimed with the request. */
  claim?: UploadClaim | null;
  /** Of a repair. */
  cause?: RecoveryCause;
  /** Fences a repair: nothing is written unless this is still the source's generation, and it has not ended. */
  onlyOpenGeneration?: number;
  /** The new generation's number is above this one, which the database does not know any more. */
  above?: number;
  /** A run that has to be ended before the command is sent. */
  endRunId?: string;
}

interface Present {
  type: SourceType;
  status: SourceStatus;
  owner_id: string;
  generation: number;
  outcome: Outcome | null;
  fetch: boolean;
  content_key: string | null;
  content_generation: number | null;
  run_context_extraction: boolean;
  run_artifact_extraction: boolean;
  repairs: number;
}

const lockSource = statement<{ id: string }>(
  'lock-source-to-advance',
  'select id from sources where id = $1 and deleted_at is null for no key update',
);

// A statement of its own: one that waited for the lock would see the other table as it was before the wait, without
// the generation that the one before us has just written.
const readPresent = statement<Present>(
  'read-source-with-generation',
  `select s.type, s.status, s.owner_id, s.generation, g.outcome, g.fetches as fetch, g.content_key, g.content_generation,
          g.run_context_extraction, g.run_artifact_extraction, g.repairs
   from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = $1`,
);

const supersede = statement(
  'supersede-generation',
  `update source_generations set outcome = 'SUPERSEDED', finished_at = clock_timestamp(), stage = null, found_artifacts = null
   where source_id = $1 and outcome is null`,
);

/**
 * Takes over the stored content from the generation before, unless the data is new, and context and artifacts from the
 * shown one; the run replaces those that it makes anew.
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
 * Whether the new generation has to fetch: always on refresh and on new data; otherwise when nothing is stored, or
 * when the generation that it replaces was to fetch and had not.
 */
function mustFetch(present: Present, trigger: Trigger): boolean {
  if (present.type === 'CONTENT') return false;
  // A composition's content is its members': it is always joined anew, else it could never become fresh again.
  if (present.type === 'COMPOSITION' || trigger === 'refresh' || trigger === 'update') return true;
  const interrupted = present.outcome === null && present.fetch && present.content_generation !== present.generation;
  return present.content_key === null || interrupted;
}

/**
 * Writes the next generation and its command. Returns the new generation's number, or null when the source is gone
 * or the fence does not hold. Runs inside the caller's transaction.
 */
export async function startGeneration(session: Session, request: GenerationRequest): Promise<number | null> {
  if ((await queryOne(session, lockSource, [request.sourceId])) === null) return null;
  const present = await queryOne(session, readPresent, [request.sourceId]);
  if (present === null) return null;
  const { onlyOpenGeneration } = request;
  if (onlyOpenGeneration !== undefined && (present.generation !== onlyOpenGeneration || present.outcome !== null)) {
    return null;
  }
  const options = request.options ?? {
    runContextExtraction: present.run_context_extraction,
    runArtifactExtraction: present.run_artifact_extraction,
  };
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
  // New data leaves no stored content.
  const claimed = request.claim?.sizeBytes ?? null;
  await query(session, advanceSource, [request.sourceId, next, request.trigger === 'update', claimed]);
  await query(session, insertCommand, [
    present.owner_id,
    request.sourceId,
    request.command,
    next,
    request.endRunId ?? null,
  ]);
  return next;
}
