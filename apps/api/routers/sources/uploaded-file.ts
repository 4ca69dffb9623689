import { Upload } from '../../../../db/entities/upload.ts';
import type { ObjectHead } from '../../../../platform/storage.ts';
import { type AppError, invalid } from '../../errors.ts';
import type { CallContext } from '../../trpc.ts';

export function unfinishedUpload(): AppError {
  return invalid('initial_data.data', 'Not the key of a finished upload of yours: PUT the file first.');
}

/**
 * What lies at the key of the caller's own upload now: the run uses that very file or says that it was changed.
 * @throws AppError 400
 */
export async function findUploadedFile(ctx: CallContext, fileKey: string): Promise<ObjectHead> {
  const granted = await ctx.database.orm.em.fork().count(Upload, { fileKey, ownerId: ctx.caller.userId });
  if (granted === 0) throw unfinishedUpload();
  const file = await ctx.storage.head(fileKey);
  if (file === null) throw unfinishedUpload();
  return file;
}
