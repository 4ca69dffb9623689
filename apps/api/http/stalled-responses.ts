import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Cuts off clients that read nothing of what was written for them within the server's timeout: what waits for them is kept
 * in memory. Answers that wait themselves, such as long polls and event streams, have nothing written and stay open.
 */
export function closeStalledResponses(app: FastifyInstance): void {
  const answering = new Map<Socket, number>();
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    answering.set(socket, (answering.get(socket) ?? 0) + 1);
    reply.raw.once('close', () => {
      const others = (answering.get(socket) ?? 1) - 1;
      if (others === 0) answering.delete(socket);
      else answering.set(socket, others);
    });
  });
  // Node.js starts the time anew with whatever is read or written; without a listener it would end long polls, too.
  app.server.on('timeout', (socket: Socket) => {
    if (!answering.has(socket) || socket.writableLength > 0) socket.destroy();
  });
}
