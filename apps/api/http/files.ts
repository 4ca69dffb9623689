import type { FastifyInstance } from 'fastify';
import { fileDownload } from '../../../db/queries/sources/file-download.ts';
import type { ApiDependencies } from '../context.ts';
import { notFound } from '../errors.ts';

/** How long the redirect's target works. */
const DOWNLOAD_SECONDS = 60;

/** GET /files/<fileKey>: whoever knows the unguessable key is redirected to a short-lived download. */
export function registerFiles(app: FastifyInstance, { database, storage }: ApiDependencies): void {
  app.get<{ Params: { '*': string } }>('/files/*', async (request, reply) => {
    const fileKey = request.params['*'];
    // What PostgreSQL cannot even be asked about is no key of ours.
    const download = fileKey.includes('\0') ? null : await fileDownload(database.pool, fileKey);
    if (download === null || (await storage.head(download.key)) === null) throw notFound('file');
    const url = await storage.presignDownload({ ...download, expiresSeconds: DOWNLOAD_SECONDS });
    return reply.header('cache-control', 'no-store').redirect(url, 302);
  });
}
