/** Compares the usage counters that triggers maintain for each owner and space with the rows. */
import type { Pool } from 'pg';

const differences = `
  with rows as (
    select owner_id, space_id, count(*) filter (where deleted_at is null) as sources,
      sum(text_size + content_size + result_size) as stored_bytes
    from sources group by 1, 2
    union all
    select owner_id, null, 0, sum(size_bytes) from uploads group by 1
  ), parts as (
    select owner_id, space_id, sum(sources) as sources, sum(stored_bytes) as stored_bytes from usage_parts group by 1, 2
  )
  select coalesce(p.owner_id, r.owner_id) as "ownerId", coalesce(p.space_id, r.space_id) as "spaceId",
    coalesce(p.sources, 0)::int as "countedSources", coalesce(r.sources, 0)::int as sources,
    coalesce(p.stored_bytes, 0)::int as "countedBytes", coalesce(r.stored_bytes, 0)::int as bytes
  from parts p full join rows r on r.owner_id = p.owner_id
    and coalesce(r.space_id, r.owner_id) = coalesce(p.space_id, p.owner_id)
  where coalesce(p.sources, 0) <> coalesce(r.sources, 0) or coalesce(p.stored_bytes, 0) <> coalesce(r.stored_bytes, 0)`;

export interface UsageDifference {
  ownerId: string;
  /** Null for uploads. */
  spaceId: string | null;
  countedSources: number;
  sources: number;
  countedBytes: number;
  bytes: number;
}

/** Returns the owners and spaces whose usage counters differ from the rows. */
export async function findUsageDifferences(pool: Pool): Promise<UsageDifference[]> {
  return (await pool.query(differences)).rows;
}
