/** Large bodies are read one after the other: parsed, one takes several times its size. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MemoryShare } from './memory-share.ts';
import { CONTENT_BODY_LIMIT } from './trpc.ts';

/** Smaller ones are no trouble, as many as the budgets allow. */
const SMALL_BYTES = 256 * 1024;

/** Has large bodies wait for their share of memory before anything of them is read. `ownerOf` names who sends one. */
export function shareBodyMemory(app: FastifyInstance, ownerOf: (request: FastifyRequest) => string): void {
  const memory = new MemoryShare({ most: 2 * CONTENT_BODY_LIMIT, mostOfOwner: CONTENT_BODY_LIMIT });
  app.addHook('preParsing', async (request, reply) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    const isChunked = request.headers['transfer-encoding'] !== undefined;
    const bytes = isChunked ? CONTENT_BODY_LIMIT : Math.min(announced, CONTENT_BODY_LIMIT);
    if (bytes <= SMALL_BYTES) return;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const release = await memory.take(ownerOf(request), bytes, gone.signal);
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
  });
}
