import type { GenerationError } from '../../../contract/resources.ts';
import type { Outcome, RecoveryCause, Stage, Trigger } from '../../../contract/statuses.ts';
import { query, type Session, statement } from '../../sql.ts';

export interface GenerationRow {
  generation: number;
  trigger: Trigger;
  cause: RecoveryCause | null;
  runContextExtraction: boolean;
  runArtifactExtraction: boolean;
  outcome: Outcome | null;
  error: GenerationError | null;
  stage: Stage | null;
  stageTimes: Partial<Record<Stage, string>>;
  contentType: string | null;
  contentSize: number | null;
  unchanged: boolean;
  skippedMembers: { id: string; code: string }[];
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const generations = statement<GenerationRow>(
  'list-generations',
  `select generation, trigger, cause, run_context_extraction as "runContextExtraction",
          run_artifact_extraction as "runArtifactExtraction", outcome, error, stage, stage_times as "stageTimes",
          content_type as "contentType", content_size as "contentSize", unchanged,
          skipped_members as "skippedMembers",
          created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"
   from source_generations where source_id = $1 and generation < $2 order by generation desc limit $3`,
);

/** The generations of a source below `before`, the newest first. The caller has checked the owner. */
export async function listGenerations(
  session: Session,
  sourceId: string,
  { before, limit }: { before: number; limit: number },
): Promise<GenerationRow[]> {
  return query(session, generations, [sourceId, before, limit]);
}
