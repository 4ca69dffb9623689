/** Processing of an artifact: each accepted request starts a round, which fences every write of its run. */
import type { ArtifactRound } from '../../../contract/commands.ts';
import type { ArtifactError } from '../../../contract/resources.ts';
import { type ArtifactRow, artifactColumns, visibleArtifacts } from '../../queries/artifacts/read-artifacts.ts';
import { jsonb, queryOne, type Session, statement } from '../../sql.ts';

const accept = statement<ArtifactRow>(
  'process-artifact',
  `with found as (
     select a.id, s.owner_id from ${visibleArtifacts} where a.id = $1 and s.owner_id = $2
   ), a as (
     update artifacts a set status = 'PROCESSING', round = a.round + 1, updated_at = now(), checked_at = now()
     from found where a.id = found.id and a.status <> 'PROCESSING'
     returning a.*
   ), command as (
     insert into outbox (owner_id, command, artifact_id, round)
     select found.owner_id, 'process', a.id, a.round from a join found using (id)
   )
   select ${artifactColumns} from a`,
);

/**
 * Starts a new round of an artifact, with the command for its run. Null when the artifact is already PROCESSING, or is
 * not a visible one of this owner.
 */
export async function processArtifact(
  session: Session,
  ownerId: string,
  artifactId: string,
): Promise<ArtifactRow | null> {
  return queryOne(session, accept, [artifactId, ownerId]);
}

/** The input of a round. */
export type ArtifactToProcess = Pick<ArtifactRow, 'kind' | 'title' | 'content' | 'language' | 'metadata'>;

const read = statement<ArtifactToProcess>(
  'read-artifact-to-process',
  `select kind, title, content, language, metadata from artifacts where id = $1 and round = $2 and status = 'PROCESSING'`,
);

/** The input of a round, or null when the artifact is gone or the round is over. */
export async function readArtifactToProcess(
  session: Session,
  { artifactId, round }: ArtifactRound,
): Promise<ArtifactToProcess | null> {
  return queryOne(session, read, [artifactId, round]);
}

// Removes the error of an earlier round. A detected language is used if the content does not declare one.
const processed = statement<{ id: string }>(
  'artifact-processed',
  `update artifacts set status = 'PROCESSED', metadata = (metadata - 'error') || $3::jsonb,
     language = coalesce(language, $3::jsonb ->> 'language'), updated_at = now()
   where id = $1 and round = $2 and status = 'PROCESSING' returning id`,
);

/** Ends the round as PROCESSED and merges `found` into the metadata. False when it was fenced out. */
export async function endArtifactProcessed(
  session: Session,
  { artifactId, round }: ArtifactRound,
  found: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return (await queryOne(session, processed, [artifactId, round, jsonb(found)])) !== null;
}

const failed = statement<{ id: string }>(
  'artifact-failed',
  `update artifacts set status = 'FAILED', metadata = metadata || jsonb_build_object('error', $3::jsonb),
     updated_at = now()
   where id = $1 and round = $2 and status = 'PROCESSING' returning id`,
);

/** Ends the round as FAILED; the metadata of earlier rounds stays. False when it was fenced out. */
export async function endArtifactFailed(
  session: Session,
  { artifactId, round }: ArtifactRound,
  error: ArtifactError,
): Promise<boolean> {
  return (await queryOne(session, failed, [artifactId, round, jsonb(error)])) !== null;
}

const repeat = statement<{ id: number }>(
  'repeat-process-command',
  `insert into outbox (owner_id, command, artifact_id, round, end_run_id)
   select s.owner_id, 'process', a.id, a.round, $3 from artifacts a join sources s on s.id = a.source_id
   where a.id = $1 and a.round = $2 and a.status = 'PROCESSING'
     and not exists (select from outbox o where o.artifact_id = a.id)
   returning id`,
);

/**
 * Inserts the command of a round again; the run `endRunId` is ended before it is sent. False when the round is over or
 * a command of the artifact is in the outbox.
 */
export async function repeatProcessCommand(
  session: Session,
  { artifactId, round }: ArtifactRound,
  endRunId: string | null,
): Promise<boolean> {
  return (await queryOne(session, repeat, [artifactId, round, endRunId])) !== null;
}
