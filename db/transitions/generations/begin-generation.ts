/** The first step of a run: sets PROCESSING and returns the plan, without user content, since it is in the history. */
import type { GenerationRef } from '../../../contract/commands.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

/** Limit in bytes of a text whose extraction takes tens of milliseconds. */
const MAX_SHORT_TEXT_BYTES = 32 * 1024;

export interface GenerationPlan extends ColumnsOf<typeof Source, 'type'> {
  generationId: string;
  fetch: boolean;
  /** A CONTENT source of at most MAX_SHORT_TEXT_BYTES. */
  isShortText: boolean;
  runContextExtraction: boolean;
  runArtifactExtraction: boolean;
}

const begin = statement<GenerationPlan>(
  'begin-generation',
  `with source as (
     update sources set status = 'PROCESSING',
       updated_at = case when status = 'PROCESSING' then updated_at else now() end,
       revision = revision + case when status = 'PROCESSING' then 0 else 1 end
     where id = $1 and generation = $2 and status in ('CREATED', 'PENDING', 'PROCESSING') and deleted_at is null
       and exists (select from spaces sp where sp.id = sources.space_id and sp.deleted_at is null)
     returning id, generation, type, text_size
   ), begun as (
     update source_generations g set started_at = coalesce(g.started_at, now()), stage = coalesce(g.stage, 'begin'),
       stage_times = jsonb_build_object('begin', to_jsonb(now()::timestamptz(3))) || g.stage_times
     from source where g.source_id = source.id and g.generation = source.generation and g.outcome is null
     returning g.id, g.fetches as fetch, g.run_context_extraction, g.run_artifact_extraction,
       old.started_at is null as first
   ), members as (
     -- Once per generation: a late repetition must not clear joined_generation.
     update composition_members m set awaited_generation = s.generation, joined_generation = null
     from begun, source, sources s where begun.first and m.composition_id = source.id and s.id = m.member_id
   )
   select begun.id as "generationId", source.type, begun.fetch,
          source.type = 'CONTENT' and source.text_size <= ${MAX_SHORT_TEXT_BYTES} as "isShortText",
          begun.run_context_extraction as "runContextExtraction",
          begun.run_artifact_extraction as "runArtifactExtraction"
   from source, begun`,
);

/**
 * Marks the generation as begun and returns its plan; idempotent. Null when it has ended, was superseded, or its source
 * or space is deleted. For a composition it also records the awaited generation of each member.
 */
export async function beginGeneration(
  session: Session,
  { sourceId, generation }: GenerationRef,
): Promise<GenerationPlan | null> {
  return queryOne(session, begin, [sourceId, generation]);
}

type CurrentGeneration = ColumnsOf<typeof Source, 'status' | 'generation'>;

const readCurrent = statement<CurrentGeneration>(
  'read-generation-truth',
  'select status, generation from sources where id = $1',
);

/** The source's current generation and status, or null when the source is gone. */
export async function readCurrentGeneration(
  session: Session,
  { sourceId }: GenerationRef,
): Promise<CurrentGeneration | null> {
  return queryOne(session, readCurrent, [sourceId]);
}
