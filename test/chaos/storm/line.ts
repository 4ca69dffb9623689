/** A slow line between the service and one of its servers, which can be cut: answers get lost, processes do not. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Line {
  port: number;
  /** Resets those open connections that `isHit` says, and returns how many. */
  cut(isHit: () => boolean): number;
  close(): Promise<void>;
}

/** Starts forwarding from a free port of 127.0.0.1 to `port`; what is sent arrives `delayMs` later, in order. */
export async function startLine(port: number, delayMs: number): Promise<Line> {
  const open = new Set<Socket>();

  function forward(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    // Timers of one length end in the order in which they began.
    from.on('data', (data) => setTimeout(() => to.writable && to.write(data), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    forward(client, upstream);
    forward(upstream, client);
    open.add(client);
    client.once('close', () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');

  function cut(isHit: () => boolean): number {
    const hit = [...open].filter(isHit);
    for (const socket of hit) socket.resetAndDestroy();
    return hit.length;
  }
  return {
    port: address.port,
    cut,
    async close() {
      server.close();
      cut(() => true);
      await once(server, 'close');
    },
  };
}
