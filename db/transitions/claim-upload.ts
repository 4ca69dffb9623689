import { queryOne, type Session, statement } from '../sql.ts';

const claim = statement<{ id: string; filename: string }>(
  'claim-upload',
  `update uploads set claimed_at = coalesce(claimed_at, now()) where file_key = $1 and owner_id = $2
   returning id, filename`,
);

/** Marks an upload as used by a source and locks its row until the transaction ends. Null: not one of this owner. */
export async function claimUpload(
  session: Session,
  ownerId: string,
  fileKey: string,
): Promise<{ id: string; filename: string } | null> {
  return queryOne(session, claim, [fileKey, ownerId]);
}
