/** Which of the objects in storage nobody needs any more. */
import { query, type Session, statement } from '../../sql.ts';

/** An object of a generation, by the parts of its key. */
export interface GenerationObject {
  key: string;
  sourceId: string;
  generationId: string;
  modifiedAt: Date;
}

// Needed is what the newest generation, the shown one, or the one that holds the stored content names. A key came out
// of need when a generation followed on the last one that names it, and another result was shown in place of the last
// shown one that names it, whichever came later. It never comes back: a new generation takes over from the newest and
// the shown one alone.
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

/** How long an object is kept: since it came out of need, or since it was written where no row names it. */
export interface Kept {
  graceSeconds: number;
  unnamedSeconds: number;
}

/** The keys of those objects that may go; never one of a generation that has not ended. */
export async function findSuperfluousObjects(
  session: Session,
  objects: GenerationObject[],
  { graceSeconds, unnamedSeconds }: Kept,
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

/** The keys of uploaded objects that belong to no upload. */
export async function findSuperfluousUploads(
  session: Session,
  objects: { key: string; modifiedAt: Date }[],
  { unnamedSeconds }: Kept,
): Promise<string[]> {
  const keys = objects.map(({ key }) => key);
  const times = objects.map(({ modifiedAt }) => modifiedAt);
  return (await query(session, uploadObjects, [keys, times, unnamedSeconds])).map(({ key }) => key);
}
