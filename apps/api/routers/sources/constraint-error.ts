import { z } from 'zod';
import { findByExternalId } from '../../../../db/queries/sources/find-by-external-id.ts';
import type { Session } from '../../../../db/sql.ts';
import { AppError, invalid } from '../../errors.ts';

const violation = z.object({ code: z.enum(['23503', '23505']), constraint: z.string() });

/** A constraint violation on a source as an error on the request's field; any other error is returned unchanged. */
export async function constraintError(
  session: Session,
  { spaceId, externalId }: { spaceId: string; externalId: string | null },
  error: unknown,
): Promise<unknown> {
  const parsed = violation.safeParse(error);
  if (!parsed.success) return error;
  const { constraint } = parsed.data;
  if (constraint === 'sources_collection_foreign') {
    return invalid('collectionId', 'There is no such collection in this space.');
  }
  if (constraint === 'sources_external_id_unique' && externalId !== null) {
    const existing = await findByExternalId(session, spaceId, externalId);
    const message = 'Another source of this space has this externalId.';
    return new AppError('CONFLICT', existing === null ? message : `${message} Its id is ${existing}.`, {
      details: [{ field: 'externalId', message }],
      ...(existing === null ? {} : { headers: { location: `/v1/sources/${existing}` } }),
    });
  }
  return error;
}
