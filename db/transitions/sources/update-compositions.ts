/** Compositions after one of their members, or they themselves, completed. */
import { query, statement, type Transaction } from '../../sql.ts';

const recordUsed = statement(
  'record-used-members',
  'update composition_members set used_generation = joined_generation where composition_id = $1',
);

/** Records that the shown result of a composition is made of the members that its run joined. */
export async function recordUsedMembers(session: Transaction, compositionId: string): Promise<void> {
  await query(session, recordUsed, [compositionId]);
}

// Locked in the order of their ids: two members that complete at once never wait for each other.
const lockCompositions = statement(
  'lock-compositions-of-member',
  `select c.id from sources c
   where c.id in (select composition_id from composition_members where member_id = $1)
   order by c.id for no key update`,
);

const followSame = statement(
  'follow-unchanged-member',
  `update composition_members set
     used_generation = case used_generation when $3 then $2 else used_generation end,
     joined_generation = case joined_generation when $3 then $2 else joined_generation end
   where member_id = $1 and $3 in (used_generation, joined_generation)`,
);

const markStale = statement(
  'mark-compositions-stale',
  `update sources c set revision = c.revision + 1, updated_at = now()
   from composition_members m
   where m.member_id = $1 and c.id = m.composition_id and m.used_generation < $2`,
);

/**
 * Shows in the compositions of a member that it completed `generation`: they are stale unless its result is the same as
 * that of the generation that they used (`sameAs`).
 */
export async function updateCompositions(
  session: Transaction,
  { id, generation, sameAs }: { id: string; generation: number; sameAs: number | null },
): Promise<void> {
  await query(session, lockCompositions, [id]);
  if (sameAs !== null) await query(session, followSame, [id, generation, sameAs]);
  await query(session, markStale, [id, generation]);
}
