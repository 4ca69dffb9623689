import type { FastifyInstance } from 'fastify';
import { fileDownload } from '../../../db/queries/sources/file-download.ts';
import type { ApiDependencies } from '../context.ts';
import { notFound } from '../errors.ts';

/** Lifetime of the presigned download URL. */
const DOWNLOAD_SECONDS = 60;

/** GET /files/<fileKey>: redirects to a short-lived download URL. The unguessable key is the only authorization. */
export function registerFiles(app: FastifyInstance, { database, storage }: ApiDependencies): void {
  app.get<{ Params: { '*': string } }>('/files/*', async (request, reply) => {
    const fileKey = request.params['*'];
    // PostgreSQL does not accept U+0000, so no key contains it.
    const download = fileKey.includes('\0') ? null : await fileDownload(database.pool, fileKey);
    if (download === null || (await storage.head(download.key)) === null) throw notFound('file');
    const url = await storage.presignDownload({ ...download, expiresSeconds: DOWNLOAD_SECONDS });
    return reply.header('cache-control', 'no-store').redirect(url, 302);
  });
}
