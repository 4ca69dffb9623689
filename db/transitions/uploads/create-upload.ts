import type { InferEntity } from '@mikro-orm/postgresql';
import { Upload } from '../../entities/upload.ts';
import { entityManager, type Transaction } from '../../sql.ts';

export type NewUpload = Pick<
  InferEntity<typeof Upload>,
  'id' | 'ownerId' | 'fileKey' | 'filename' | 'contentType' | 'sizeBytes'
>;

/** Inserts a granted upload, which no source has claimed yet. */
export async function createUpload(session: Transaction, upload: NewUpload): Promise<void> {
  await entityManager(session).insert(Upload, upload);
}
