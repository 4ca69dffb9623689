import { Upload } from '../../../../db/entities/upload.ts';
import type { ObjectHead } from '../../../../platform/storage.ts';
import { type AppError, invalid } from '../../errors.ts';
import type { CallContext } from '../../trpc.ts';

export function unfinishedUpload(): AppError {
  return invalid('initial_data.data', 'Must be the fileKey of your upload: PUT the file to its uploadUrl first.');
}

/**
 * The object now stored at the key of the caller's upload. If it changes later, the run fails with upload_changed.
 * @throws AppError 400
 */
export async function findUploadedFile(ctx: CallContext, fileKey: string): Promise<ObjectHead> {
  const granted = await ctx.database.orm.em.fork().count(Upload, { fileKey, ownerId: ctx.caller.userId });
  if (granted === 0) throw unfinishedUpload();
  const file = await ctx.storage.head(fileKey);
  if (file === null) throw unfinishedUpload();
  return file;
}
