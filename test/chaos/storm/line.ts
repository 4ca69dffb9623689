/** A slow line to a server, which can be cut and parted: answers get lost or late, and processes live on. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Line {
  port: number;
  /** Resets those open connections that `isHit` says, and returns how many. */
  cut(isHit: () => boolean): number;
  /** From here on the server takes its clients for gone, and nobody tells them, until `join`. */
  part(): void;
  join(): void;
  close(): Promise<void>;
}

/** Starts forwarding from a free port of 127.0.0.1 to `port`; what is sent arrives `delayMs` later, in order. */
export async function startLine(port: number, delayMs: number): Promise<Line> {
  /** Each client's connection with the one to the server; none of those that came while the line was parted. */
  const open = new Map<Socket, Socket | undefined>();
  let isParted = false;

  function forward(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    // Timers of one length end in the order in which they began.
    from.on('data', (data) => setTimeout(() => to.writable && to.write(data), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => undefined);
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.once('close', () => {
      open.get(client)?.destroy();
      open.delete(client);
    });
    if (isParted) {
      client.on('error', () => undefined);
      open.set(client, undefined);
      return;
    }
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    forward(client, upstream);
    forward(upstream, client);
    upstream.once('close', () => {
      if (!isParted) client.destroy();
    });
    open.set(client, upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');

  function cut(isHit: () => boolean): number {
    const hit = [...open.keys()].filter(isHit);
    for (const client of hit) client.resetAndDestroy();
    return hit.length;
  }
  return {
    port: address.port,
    cut,
    part() {
      isParted = true;
      for (const [client, upstream] of open) {
        client.pause();
        upstream?.destroy();
      }
    },
    join() {
      isParted = false;
      cut(() => true);
    },
    async close() {
      server.close();
      cut(() => true);
      await once(server, 'close');
    },
  };
}
