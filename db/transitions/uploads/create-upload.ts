import { query, type Session, statement } from '../../sql.ts';

export interface NewUpload {
  id: string;
  ownerId: string;
  fileKey: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
}

const insert = statement(
  'create-upload',
  'insert into uploads (id, owner_id, file_key, filename, content_type, size_bytes) values ($1, $2, $3, $4, $5, $6)',
);

/** Keeps a granted upload, which no source has claimed yet. */
export async function createUpload(session: Session, upload: NewUpload): Promise<void> {
  const { id, ownerId, fileKey, filename, contentType, sizeBytes } = upload;
  await query(session, insert, [id, ownerId, fileKey, filename, contentType, sizeBytes]);
}
