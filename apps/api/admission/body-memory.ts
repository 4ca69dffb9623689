/** Large bodies are read one after the other: parsed, one takes several times its size. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CONTENT_BODY_LIMIT } from '../trpc.ts';
import { FairShare } from './fair-share.ts';

/** Smaller ones are no trouble, as many as the budgets allow. */
const SMALL_BYTES = 256 * 1024;
const PATIENCE_MS = 30_000;

interface Senders {
  /** Without an owner nothing large is read, so that there is nothing to share. */
  ownerOf(request: FastifyRequest): string | undefined;
  /** Aborted once the client is gone. */
  closedOf(request: FastifyRequest): AbortSignal;
}

/** Has large bodies wait for their share of memory before anything of them is read. */
export function shareBodyMemory(app: FastifyInstance, { ownerOf, closedOf }: Senders): void {
  const limits = { most: 2 * CONTENT_BODY_LIMIT, mostOfOwner: CONTENT_BODY_LIMIT, patienceMs: PATIENCE_MS };
  const memory = new FairShare(limits);
  app.addHook('preParsing', async (request, reply) => {
    const owner = ownerOf(request);
    if (owner === undefined || request.method === 'GET' || request.method === 'HEAD') return;
    const { 'content-length': length = 0, 'transfer-encoding': coding } = request.headers;
    const announced = coding === undefined ? Number(length) : Number.POSITIVE_INFINITY;
    const bytes = Math.min(announced, request.routeOptions.bodyLimit ?? CONTENT_BODY_LIMIT);
    if (bytes <= SMALL_BYTES) return;
    const release = await memory.take(owner, bytes, closedOf(request));
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
  });
}
