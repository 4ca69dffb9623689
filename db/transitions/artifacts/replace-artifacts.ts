import { query, statement, type Transaction } from '../../sql.ts';

const replace = statement(
  'replace-artifacts',
  `with incoming as (
     select * from jsonb_to_recordset($3::jsonb) as a(
       kind text, title text, content text, language text, position jsonb, "contentHash" text, ordinal int,
       metadata jsonb)
   ), kept as (
     insert into artifacts
       (id, source_id, space_id, kind, content_hash, ordinal, title, content, language, position, metadata)
     select uuidv7(), $1, $2, kind, "contentHash", ordinal, title, content, language, position, metadata from incoming
     on conflict on constraint artifacts_identity_unique do update
       set title = excluded.title, content = excluded.content, position = excluded.position,
           language = coalesce(excluded.language, artifacts.metadata ->> 'language'), updated_at = now()
       where (artifacts.title, artifacts.content, artifacts.language, artifacts.position) is distinct from
         (excluded.title, excluded.content, coalesce(excluded.language, artifacts.metadata ->> 'language'),
          excluded.position)
   )
   delete from artifacts a where a.source_id = $1 and not exists (
     select from incoming i where i.kind = a.kind and i."contentHash" = a.content_hash and i.ordinal = a.ordinal)`,
);

/**
 * Makes `found` (a JSON array of ExtractedArtifact) the artifacts of a source. One with the same identity (kind, content
 * hash, ordinal) keeps its id, its status and what processing added to it.
 */
export async function replaceArtifacts(
  session: Transaction,
  source: { id: string; spaceId: string },
  found: string,
): Promise<void> {
  await query(session, replace, [source.id, source.spaceId, found]);
}
