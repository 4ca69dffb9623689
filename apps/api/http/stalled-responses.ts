import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Disconnects clients that read nothing of a written response within the server's timeout, since unsent data stays in
 * memory. Long polls and event streams without unsent data stay open.
 */
export function closeStalledResponses(app: FastifyInstance): void {
  const openResponses = new Map<Socket, number>();
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    openResponses.set(socket, (openResponses.get(socket) ?? 0) + 1);
    reply.raw.once('close', () => {
      const others = (openResponses.get(socket) ?? 1) - 1;
      if (others === 0) openResponses.delete(socket);
      else openResponses.set(socket, others);
    });
  });
  // Node.js restarts the timeout on each read or write; without a listener it would close long polls, too.
  app.server.on('timeout', (socket: Socket) => {
    if (!openResponses.has(socket) || socket.writableLength > 0) socket.destroy();
  });
}
