/** Finds unreferenced objects in storage. */
import { query, type Session, statement } from '../../sql.ts';

/** An object of a generation, by the parts of its key. */
export interface GenerationObject {
  key: string;
  sourceId: string;
  generationId: string;
  modifiedAt: Date;
}

// Needed are the keys in the current generation, the result generation, and the one that stored the content. A key is
// released when a newer generation follows the last one that names it, or a newer result replaces the last completed
// one that names it, whichever is later. It is never needed again: a new generation takes over keys only from the
// current and the result generation.
const generationObjects = statement<{ key: string }>(
  'find-superfluous-objects',
  `select l.key
   from unnest($1::text[], $2::uuid[], $3::uuid[], $4::timestamptz[]) as l(key, source_id, generation_id, modified_at)
   left join source_generations own on own.id = l.generation_id
   left join sources s on s.id = l.source_id
   left join source_generations current on current.source_id = s.id and current.generation = s.generation
   cross join lateral (
     select max(g.generation) as newest, max(g.generation) filter (where g.outcome = 'COMPLETED') as shown,
            coalesce(bool_or(g.id = current.id or g.id = s.result_generation_id
              or g.generation = current.content_generation), false) as needed
     from source_generations g
     where g.source_id = s.id and l.key in (g.content_key, g.markdown_key, g.context_key)) named
   cross join lateral (
     select greatest(min(g.created_at) filter (where g.generation > named.newest),
                     min(g.finished_at) filter (where g.generation > named.shown and g.outcome = 'COMPLETED')) as at
     from source_generations g where g.source_id = s.id) released
   where (own.id is null or own.outcome is not null)
     and case when named.newest is null then l.modified_at <= now() - make_interval(secs => $6)
         else not named.needed and released.at <= now() - make_interval(secs => $5) end`,
);

/** How long an object is kept after its release, or after it was written if no row names it. */
export interface ObjectRetention {
  graceSeconds: number;
  unnamedSeconds: number;
}

/** Returns the keys of objects that may be removed; never one of a generation that has not ended. */
export async function findUnreferencedObjects(
  session: Session,
  objects: GenerationObject[],
  { graceSeconds, unnamedSeconds }: ObjectRetention,
): Promise<string[]> {
  const rows = await query(session, generationObjects, [
    objects.map(({ key }) => key),
    objects.map(({ sourceId }) => sourceId),
    objects.map(({ generationId }) => generationId),
    objects.map(({ modifiedAt }) => modifiedAt),
    graceSeconds,
    unnamedSeconds,
  ]);
  return rows.map(({ key }) => key);
}

const uploadObjects = statement<{ key: string }>(
  'find-superfluous-uploads',
  `select l.key from unnest($1::text[], $2::timestamptz[]) as l(key, modified_at)
   where l.modified_at <= now() - make_interval(secs => $3)
     and not exists (select from uploads u where u.file_key = l.key)`,
);

/** Returns the keys of uploaded objects without a row in `uploads`. */
export async function findUnreferencedUploads(
  session: Session,
  objects: { key: string; modifiedAt: Date }[],
  { unnamedSeconds }: ObjectRetention,
): Promise<string[]> {
  const keys = objects.map(({ key }) => key);
  const times = objects.map(({ modifiedAt }) => modifiedAt);
  return (await query(session, uploadObjects, [keys, times, unnamedSeconds])).map(({ key }) => key);
}
