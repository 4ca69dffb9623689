import { queryOne, type Session, statement } from '../../sql.ts';

const find = statement<{ id: string }>(
  'find-by-external-id',
  'select id from sources where space_id = $1 and external_id = $2 and deleted_at is null',
);

/** The id of the live source with this externalId, or null. */
export async function findByExternalId(session: Session, spaceId: string, externalId: string): Promise<string | null> {
  return (await queryOne(session, find, [spaceId, externalId]))?.id ?? null;
}
