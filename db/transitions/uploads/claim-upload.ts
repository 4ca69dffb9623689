import { query, queryOne, type Session, statement } from '../../sql.ts';

/** The uploaded file when a source claimed it: the run uses exactly this file or fails with `upload_changed`. */
export interface UploadClaim {
  etag: string;
  sizeBytes: number;
}

const claim = statement<{ id: string; filename: string }>(
  'claim-upload',
  `update uploads set claimed_at = now() where file_key = $1 and owner_id = $2
   returning id, filename`,
);

/** Marks an upload as claimed and locks its row until the transaction ends. Null when it is not of this owner. */
export async function claimUpload(
  session: Session,
  ownerId: string,
  fileKey: string,
): Promise<{ id: string; filename: string } | null> {
  return queryOne(session, claim, [fileKey, ownerId]);
}

const lockBoth = statement<{ id: string; fileKey: string }>(
  'lock-uploads',
  `select id, file_key as "fileKey" from uploads
   where file_key = $1 or id = (select upload_id from sources where id = $2) order by id for update`,
);

/**
 * Locks the upload of a source and its new upload, always in the same order. Returns the id of the former if it is
 * another one, else null.
 */
export async function lockUploads(session: Session, sourceId: string, fileKey: string): Promise<string | null> {
  const uploads = await query(session, lockBoth, [fileKey, sourceId]);
  return uploads.find((upload) => upload.fileKey !== fileKey)?.id ?? null;
}

const release = statement(
  'release-upload',
  `update uploads u set claimed_at = null
   where u.id = $1 and not exists (select from sources s where s.upload_id = u.id)`,
);

/** Makes an upload that no source uses any more unclaimed, so that the sweep removes it. */
export async function releaseUpload(session: Session, uploadId: string): Promise<void> {
  await query(session, release, [uploadId]);
}
