/**
 * The one way in which a generation ends: its row is closed, the source's status written, the results swapped and
 * the postback made to be owed, all in one statement, and only while the generation is the current one and open.
 */
import type { GenerationRef } from '../../../contract/commands.ts';
import type { GenerationEnd } from '../../../contract/resources.ts';
import { jsonb, queryOne, type Session, statement } from '../../sql.ts';

/** What ending a generation has left to do. */
export interface Ended {
  /** The source owes postbacks: this generation's, or those of earlier ones. */
  owes: boolean;
}

const end = statement<Ended>(
  'end-generation',
  `with source as (
     update sources set status = $3, run_open = false, revision = revision + 1, updated_at = now(),
       result_size = case when $3 = 'COMPLETED' then coalesce(
         (select g.markdown_size + g.context_size from source_generations g
          where g.source_id = $1 and g.generation = $2), 0) else result_size end,
       name = case when $3 = 'COMPLETED' and name_derived then coalesce(
         (select nullif(left(btrim(g.context ->> 'title'), 200), '') from source_generations g
          where g.source_id = $1 and g.generation = $2), name) else name end,
       result_generation_id = case when $3 = 'COMPLETED'
         then (select g.id from source_generations g where g.source_id = $1 and g.generation = $2)
         else result_generation_id end
     where id = $1 and generation = $2 and status in ('CREATED', 'PENDING', 'PROCESSING')
       and ($3 <> 'COMPLETED' or exists (
         select from source_generations g where g.source_id = $1 and g.generation = $2
           and (not g.fetches or g.content_generation = g.generation)
           and (not g.run_context_extraction or g.context_generation = g.generation)
           and (not g.run_artifact_extraction or g.found_artifacts is not null
             or (g.unchanged and g.artifacts_generation = g.generation))))
     returning *
   ), found as (
     select g.found_artifacts as list from source_generations g, source
     where g.source_id = source.id and g.generation = source.generation and source.status = 'COMPLETED'
   ), closed as (
     -- The transaction may have waited for the source: its own time is before what happened meanwhile.
     update source_generations g set outcome = $3, finished_at = clock_timestamp(), stage = null, error = $4, failure = null, found_artifacts = null,
       stage_times = g.stage_times || jsonb_build_object('finish', to_jsonb(now()::timestamptz(3))),
       artifacts_generation = case when $3 = 'COMPLETED' and g.found_artifacts is not null
         then g.generation else g.artifacts_generation end
     from source where g.source_id = source.id and g.generation = source.generation
     returning g.id
   ), owed as (
     insert into postbacks (id, source_id, generation_id, url, state, reason, next_attempt_at, body)
     select gen_random_uuid(), source.id, closed.id, source.instructions ->> 'postback_url',
       case when gone then 'disabled' else 'pending' end,
       case when gone then 'The receiver answered 410 Gone to an earlier postback.' end,
       case when gone then null else now() end,
       json_build_object(
         'type', 'source.' || lower(source.status),
         'timestamp', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'data', json_build_object(
           'id', source.id, 'spaceId', source.space_id, 'type', source.type, 'name', source.name,
           'status', source.status, 'generation', source.generation, 'error', $4::jsonb,
           'metadata', metadata.as_json, 'externalId', source.external_id,
           'links', json_build_object(
             'source', $5 || '/v1/sources/' || source.id,
             'content', $5 || '/v1/sources/' || source.id || '/content',
             'artifacts', $5 || '/v1/sources/' || source.id || '/artifacts')))::text
     from source cross join closed
       cross join lateral (select source.postback_gone_url is not distinct from source.instructions ->> 'postback_url') as receiver(gone)
       -- A jsonb number is written out with all of its digits: 1e300 with 301.
       cross join lateral (
         select coalesce(json_object_agg(key, case jsonb_typeof(value)
           when 'number' then to_json(value::float8) else value::json end), '{}') as as_json
         from jsonb_each(source.metadata)) as metadata
     where source.instructions ->> 'postback_url' is not null
     returning id
   ), members as (
     update composition_members m set used_generation = m.joined_generation
     from source where m.composition_id = source.id and source.status = 'COMPLETED'
   ), same as (
     -- What found the content unchanged has nothing newer than the result before it.
     select source.id as member_id, source.generation, before.generation as generation_before
     from source join source_generations g on g.source_id = source.id and g.generation = source.generation
       join sources old on old.id = source.id join source_generations before on before.id = old.result_generation_id
     where g.unchanged and source.status = 'COMPLETED'
   ), compositions as (
     -- In the order of their ids: two members that end at once never wait for each other.
     select c.id from sources c
     where c.id in (select m.composition_id from composition_members m join source on source.id = m.member_id
       where source.status = 'COMPLETED')
     order by c.id for no key update
   ), followed as (
     update composition_members m set
       used_generation = case m.used_generation when generation_before then same.generation else m.used_generation end,
       joined_generation =
         case m.joined_generation when generation_before then same.generation else m.joined_generation end
     from same where m.member_id = same.member_id and generation_before in (m.used_generation, m.joined_generation)
       and m.composition_id in (select id from compositions)
   ), stale as (
     update sources c set revision = c.revision + 1, updated_at = now()
     from source cross join composition_members m left join same on same.member_id = m.member_id
     where m.member_id = source.id and c.id = m.composition_id and c.id in (select id from compositions)
       and m.used_generation < source.generation
       and m.used_generation is distinct from generation_before and source.status = 'COMPLETED'
   ), incoming as (
     select source.id as source_id, source.space_id, a.*
     from source cross join found cross join jsonb_to_recordset(found.list) as a(
       kind text, title text, content text, language text, position jsonb, "contentHash" text, ordinal int,
       metadata jsonb)
   ), kept as (
     insert into artifacts (id, source_id, space_id, kind, content_hash, ordinal, title, content, language, position, metadata)
     select uuidv7(), source_id, space_id, kind, "contentHash", ordinal, title, content, language, position, metadata
     from incoming
     on conflict on constraint artifacts_identity_unique do update
       set title = excluded.title, content = excluded.content, position = excluded.position,
           language = coalesce(excluded.language, artifacts.metadata ->> 'language'), updated_at = now()
       where (artifacts.title, artifacts.content, artifacts.language, artifacts.position) is distinct from
         (excluded.title, excluded.content, coalesce(excluded.language, artifacts.metadata ->> 'language'),
          excluded.position)
   ), dropped as (
     delete from artifacts a using source, found
     where found.list is not null and a.source_id = source.id and not exists (
       select from incoming i
       where i.kind = a.kind and i."contentHash" = a.content_hash and i.ordinal = a.ordinal)
   )
   select exists (select from owed)
       or exists (select from postbacks p where p.source_id = source.id and p.state = 'pending') as owes
   from source`,
);

/**
 * Ends a generation. Returns null when it was fenced out: a newer one took its place, it had ended already, or it is
 * to complete while a result is missing that the run had stored, since the database was restored from a backup.
 * `publicUrl` is the API's address in the postback's links.
 */
export async function endGeneration(
  session: Session,
  publicUrl: string,
  { sourceId, generation }: GenerationRef,
  ending: GenerationEnd,
): Promise<Ended | null> {
  return queryOne(session, end, [
    sourceId,
    generation,
    ending.status,
    ending.status === 'FAILED' ? jsonb(ending.error) : null,
    publicUrl,
  ]);
}
