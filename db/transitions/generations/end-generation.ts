/** The end of a generation: the only code that writes COMPLETED, FAILED or CANCELED. */
import type { GenerationRef } from '../../../contract/commands.ts';
import type { EndedSource } from '../../../contract/postback.ts';
import type { GenerationEnd } from '../../../contract/resources.ts';
import { jsonb, queryOne, statement, type Transaction } from '../../sql.ts';
import { replaceArtifacts } from '../artifacts/replace-artifacts.ts';
import { insertPostback } from '../postbacks/insert-postback.ts';
import { recordUsedMembers, updateCompositions } from '../sources/update-compositions.ts';

export interface Ended {
  /** Whether postbacks of the source are pending: this generation's, or those of earlier ones. */
  owes: boolean;
}

interface EndedRow extends Omit<EndedSource, 'error' | 'endedAt'> {
  at: Date;
  generationId: string;
  /** Found by this generation, as JSON text; null where it did not look for artifacts. */
  foundArtifacts: string | null;
  /** The generation whose result is the same; null unless this one found the content unchanged. */
  sameAs: number | null;
  isMember: boolean;
  postbackUrl: string | null;
  /** The receiver at that URL responded with 410 before. */
  receiverGone: boolean;
  hasPendingPostbacks: boolean;
}

// The transaction may have waited for the row of the source: now() is before what happened meanwhile.
const endAndSwap = statement<EndedRow>(
  'end-generation',
  `with source as (
     update sources s set status = $3, run_open = false, revision = s.revision + 1, updated_at = now(),
       result_generation_id = case when $3 = 'COMPLETED' then g.id else s.result_generation_id end,
       result_size = case when $3 = 'COMPLETED' then coalesce(g.markdown_size + g.context_size, 0) else s.result_size end,
       name = case when $3 = 'COMPLETED' and s.name_derived
         then coalesce(nullif(left(btrim(g.context ->> 'title'), 200), ''), s.name) else s.name end
     from source_generations g
     where s.id = $1 and s.generation = $2 and s.status in ('CREATED', 'PENDING', 'PROCESSING')
       and g.source_id = s.id and g.generation = s.generation
       and ($3 <> 'COMPLETED' or (
         (not g.fetches or g.content_generation = g.generation)
         and (not g.run_context_extraction or g.context_generation = g.generation)
         and (not g.run_artifact_extraction or g.found_artifacts is not null
           or (g.unchanged and g.artifacts_generation = g.generation))))
     returning s.*, old.result_generation_id as result_before
   ), closed as (
     update source_generations g set outcome = $3, finished_at = clock_timestamp(), stage = null, error = $4,
       failure = null, found_artifacts = null,
       stage_times = g.stage_times || jsonb_build_object('finish', to_jsonb(now()::timestamptz(3))),
       artifacts_generation = case when $3 = 'COMPLETED' and g.found_artifacts is not null
         then g.generation else g.artifacts_generation end
     from source where g.source_id = source.id and g.generation = source.generation
     returning g.id, g.unchanged, old.found_artifacts
   )
   select source.id, source.space_id as "spaceId", source.type, source.name, source.status, source.generation,
     source.metadata, source.external_id as "externalId", now() as at, closed.id as "generationId",
     case when $3 = 'COMPLETED' then closed.found_artifacts::text end as "foundArtifacts",
     case when $3 = 'COMPLETED' and closed.unchanged
       then (select generation from source_generations where id = source.result_before) end as "sameAs",
     exists (select from composition_members where member_id = source.id) as "isMember",
     source.instructions ->> 'postback_url' as "postbackUrl",
     source.postback_gone_url is not distinct from source.instructions ->> 'postback_url' as "receiverGone",
     exists (select from postbacks where source_id = source.id and state = 'pending') as "hasPendingPostbacks"
   from source cross join closed`,
);

/**
 * Ends a generation: closes its row, writes the source's status, shows its results, replaces the artifacts, inserts the
 * postback and marks compositions as stale. Returns null when it was fenced out: a newer generation took its place, it
 * had ended already, or it is to complete while a result is missing that the run had stored, since the database was
 * restored from a backup. `publicUrl` is the API's address in the postback's links.
 */
export async function endGeneration(
  session: Transaction,
  publicUrl: string,
  { sourceId, generation }: GenerationRef,
  ending: GenerationEnd,
): Promise<Ended | null> {
  const error = ending.status === 'FAILED' ? ending.error : null;
  const ended = await queryOne(session, endAndSwap, [sourceId, generation, ending.status, error && jsonb(error)]);
  if (ended === null) return null;
  if (ended.foundArtifacts !== null) await replaceArtifacts(session, ended, ended.foundArtifacts);
  if (ended.postbackUrl !== null) {
    await insertPostback(session, publicUrl, { ...ended, error, endedAt: ended.at, url: ended.postbackUrl });
  }
  if (ending.status === 'COMPLETED') {
    if (ended.type === 'COMPOSITION') await recordUsedMembers(session, sourceId);
    if (ended.isMember) await updateCompositions(session, ended);
  }
  return { owes: ended.postbackUrl !== null || ended.hasPendingPostbacks };
}
