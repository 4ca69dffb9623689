/** Graceful shutdown: open requests are completed, then all connections are closed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

const POLL_MS = 20;
/** Requests that take longer are cut off. */
const GRACE_MS = 30_000;

function shuttingDown(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'This server is shutting down. Try again.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}

/**
 * Makes `app.close()` call `endOpen`, which ends long polls and event streams, and wait for the other responses, for up
 * to 30 s. Node.js itself would wait for connections that were never used or have just become idle.
 */
export function closeGracefully(app: FastifyInstance, endOpen: () => void): void {
  let inFlight = 0;
  let isClosing = false;
  app.addHook('onRequest', async (_, reply) => {
    if (isClosing) throw shuttingDown();
    inFlight += 1;
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    endOpen();
    const deadline = Date.now() + GRACE_MS;
    while (inFlight > 0 && Date.now() < deadline) await delay(POLL_MS);
    app.server.closeAllConnections();
  });
}
