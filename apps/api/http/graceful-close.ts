/** How the server ends: what is being answered is answered, and no connection holds it up after that. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

const LOOK_EVERY_MS = 20;
/** Whoever sends or reads more slowly than this is cut off. */
const GRACE_MS = 30_000;

function closing(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'This server is stopping. Try again: another one answers.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}

/**
 * Has `app.close()` call `endOpen`, which ends what would stay open, and wait for all answers. Node.js itself would
 * wait for connections that were never used, or fell idle a moment too late.
 */
export function closeInOrder(app: FastifyInstance, endOpen: () => void): void {
  let inFlight = 0;
  let isClosing = false;
  app.addHook('onRequest', async (_, reply) => {
    if (isClosing) throw closing();
    inFlight += 1;
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    endOpen();
    const deadline = Date.now() + GRACE_MS;
    while (inFlight > 0 && Date.now() < deadline) await delay(LOOK_EVERY_MS);
    app.server.closeAllConnections();
  });
}
