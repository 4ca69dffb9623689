/** Limits the memory for large bodies: parsing one takes several times its size. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CONTENT_BODY_LIMIT } from '../trpc.ts';
import { FairShare } from './fair-share.ts';

/** Bodies up to this size are not limited: the rate limits bound their number. */
const SMALL_BYTES = 256 * 1024;
const WAIT_TIMEOUT_MS = 30_000;

interface Senders {
  /** Undefined without a valid key: then no large body is read, and none is limited. */
  ownerOf(request: FastifyRequest): string | undefined;
  /** Aborted once the client has disconnected. */
  closedOf(request: FastifyRequest): AbortSignal;
}

/** Makes large bodies wait for their share of memory before they are read. */
export function shareBodyMemory(app: FastifyInstance, { ownerOf, closedOf }: Senders): void {
  const limits = { max: 2 * CONTENT_BODY_LIMIT, maxPerOwner: CONTENT_BODY_LIMIT, waitTimeoutMs: WAIT_TIMEOUT_MS };
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
