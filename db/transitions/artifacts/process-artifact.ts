/** Processing an artifact: each accepted call is a round, and every write of its run is fenced by it. */
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
 * Starts a new round of an artifact, with the command for its run. Null: it is being processed already, or there is
 * no such artifact of this owner.
 */
export async function processArtifact(
  session: Session,
  ownerId: string,
  artifactId: string,
): Promise<ArtifactRow | null> {
  return queryOne(session, accept, [artifactId, ownerId]);
}

/** What a run of this round works on. */
export type ArtifactToProcess = Pick<ArtifactRow, 'kind' | 'title' | 'content' | 'language' | 'metadata'>;

const read = statement<ArtifactToProcess>(
  'read-artifact-to-process',
  `select kind, title, content, language, metadata from artifacts where id = $1 and round = $2 and status = 'PROCESSING'`,
);

/** Null: the artifact is gone, or this round of it is over. */
export async function readArtifactToProcess(
  session: Session,
  { artifactId, round }: ArtifactRound,
): Promise<ArtifactToProcess | null> {
  return queryOne(session, read, [artifactId, round]);
}

// The error of an earlier round goes. A language that the content itself does not name is shown as the artifact's own.
const processed = statement<{ id: string }>(
  'artifact-processed',
  `update artifacts set status = 'PROCESSED', metadata = (metadata - 'error') || $3::jsonb,
     language = coalesce(language, $3::jsonb ->> 'language'), updated_at = now()
   where id = $1 and round = $2 and status = 'PROCESSING' returning id`,
);

/** Ends the round with what was found, merged into the metadata. False when it was fenced out. */
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

/** Ends the round as FAILED; what earlier rounds found stays. False when it was fenced out. */
export async function endArtifactFailed(
  session: Session,
  { artifactId, round }: ArtifactRound,
  error: ArtifactError,
): Promise<boolean> {
  return (await queryOne(session, failed, [artifactId, round, jsonb(error)])) !== null;
}

const again = statement<{ id: number }>(
  'repeat-process-command',
  `insert into outbox (owner_id, command, artifact_id, round, end_run_id)
   select s.owner_id, 'process', a.id, a.round, $3 from artifacts a join sources s on s.id = a.source_id
   where a.id = $1 and a.round = $2 and a.status = 'PROCESSING'
     and not exists (select from outbox o where o.artifact_id = a.id)
   returning id`,
);

/** Sends the command of a round again, once `endRunId` is ended. False: the round is over or a command is on its way. */
export async function repeatProcessCommand(
  session: Session,
  { artifactId, round }: ArtifactRound,
  endRunId: string | null,
): Promise<boolean> {
  return (await queryOne(session, again, [artifactId, round, endRunId])) !== null;
}
