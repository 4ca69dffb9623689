import type { GenerationError } from '../../../contract/resources.ts';
import type { Stage } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { SourceGeneration } from '../../entities/source-generation.ts';
import { query, type Session, statement } from '../../sql.ts';

export interface GenerationRow
  extends ColumnsOf<
    typeof SourceGeneration,
    | 'generation'
    | 'trigger'
    | 'cause'
    | 'runContextExtraction'
    | 'runArtifactExtraction'
    | 'outcome'
    | 'stage'
    | 'contentType'
    | 'contentSize'
    | 'unchanged'
    | 'skippedMembers'
    | 'createdAt'
    | 'startedAt'
    | 'finishedAt'
  > {
  error: GenerationError | null;
  stageTimes: Partial<Record<Stage, string>>;
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
