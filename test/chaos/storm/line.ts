/** A slow line to a server, which can be cut and held up: answers get lost or late, and processes live on. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Line {
  port: number;
  /** Resets those open connections that `isHit` says, and returns how many. */
  cut(isHit: () => boolean): number;
  /** From here on nothing comes through, and nobody is told, until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** Starts forwarding from a free port of 127.0.0.1 to `port`; what is sent arrives `delayMs` later, in order. */
export async function startLine(port: number, delayMs: number): Promise<Line> {
  const open = new Set<Socket>();
  const both = new Set<Socket>();
  let isHeld = false;

  function forward(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    // Timers of one length end in the order in which they began.
    from.on('data', (data) => setTimeout(() => to.writable && to.write(data), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => undefined);
    from.on('close', () => {
      both.delete(from);
      to.destroy();
    });
    both.add(from);
    if (isHeld) from.pause();
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
    hold() {
      isHeld = true;
      for (const socket of both) socket.pause();
    },
    release() {
      isHeld = false;
      for (const socket of both) socket.resume();
    },
    async close() {
      server.close();
      cut(() => true);
      await once(server, 'close');
    },
  };
}
