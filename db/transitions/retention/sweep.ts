/** Removes expired rows in batches. Each statement checks its conditions again on the rows that it has locked. */
import { query, type Session, statement } from '../../sql.ts';

const unclaimed = statement<{ key: string }>(
  'sweep-uploads',
  `delete from uploads where id in (
     select u.id from uploads u where u.created_at < now() - make_interval(secs => $1)
       and (u.claimed_at is null or u.claimed_at < now() - make_interval(secs => $1))
       and not exists (select from sources s where s.upload_id = u.id)
     order by u.created_at limit $2 for update skip locked)
     and not exists (select from sources s where s.upload_id = uploads.id)
   returning file_key as key`,
);

/**
 * Removes up to `limit` uploads that no source uses or has claimed within `retentionSeconds`, and returns their keys.
 * That includes uploads that a lost purge run left behind. An upload that is being claimed is locked and stays.
 */
export async function removeUnclaimedUploads(
  session: Session,
  retentionSeconds: number,
  limit: number,
): Promise<string[]> {
  return (await query(session, unclaimed, [retentionSeconds, limit])).map(({ key }) => key);
}

/** Generations of a source whose rows are kept, with their postbacks and attempts. */
const KEPT_GENERATIONS = 100;

const oldGenerations = statement<{ id: string }>(
  'sweep-generations',
  `delete from source_generations where id in (
     select g.id from sources s
     join source_generations current on current.source_id = s.id and current.generation = s.generation
     join source_generations g on g.source_id = s.id and g.generation <= s.generation - ${KEPT_GENERATIONS}
     where s.generation > ${KEPT_GENERATIONS} and g.outcome is not null
       and g.id is distinct from s.result_generation_id
       and g.generation is distinct from current.content_generation
       and not exists (select from postbacks p where p.generation_id = g.id and p.state = 'pending')
     limit $1)
   returning id`,
);

/**
 * Removes up to `limit` rows of old generations with their postbacks, but never the current generation, the result
 * generation, the one that stored the content, or one with a pending postback. Returns how many.
 */
export async function removeOldGenerations(session: Session, limit: number): Promise<number> {
  return (await query(session, oldGenerations, [limit])).length;
}
