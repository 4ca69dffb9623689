/** A TCP proxy before a server, which tests make slow, silent or unreachable. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Requests that contain a certain text: the proxy keeps them, and all that their connections send afterwards. */
export interface Held {
  /** Connections with a kept request, also those that their clients have closed since. */
  count(): number;
  /** Whether the clients have closed all of these connections. */
  closed(): boolean;
}

export interface TcpProxy {
  /** Of 127.0.0.1; stays the same after `cut` and `restore`. */
  port: number;
  /** `127.0.0.1:<port>` */
  address: string;
  /** Keeps back each request of which one chunk contains `text`. */
  hold(text: string): Held;
  /** Resets open connections, all or those that `isHit` chooses, and returns their number. New ones are accepted. */
  reset(isHit?: () => boolean): number;
  /** Resets all connections and refuses new ones until `restore`. */
  cut(): Promise<void>;
  /**
   * From now on all packets are lost in both directions: open connections stay open, new ones are accepted and never
   * answered. The server is not informed either, unless `endsUpstream`: then it sees its clients close.
   */
  silence(options?: { endsUpstream?: boolean }): void;
  /**
   * Serves new connections again. Those from the time of silence stay silent, as after a failover: what they sent is
   * lost. `reset` breaks them.
   */
  restore(): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  client: Socket;
  upstream: Socket | undefined;
  isSilent: boolean;
}

/** Starts a proxy from a free port of 127.0.0.1 to `host:port`. Each packet arrives `delayMs` later, in order. */
export async function startTcpProxy(
  port: number,
  { host = '127.0.0.1', delayMs = 0 }: { host?: string; delayMs?: number } = {},
): Promise<TcpProxy> {
  const open = new Set<Connection>();
  const holds: { text: string; clients: Set<Socket> }[] = [];
  let isSilent = false;

  // Timers of one length end in the order in which they began.
  const later = (work: () => void) => (delayMs === 0 ? work() : void setTimeout(work, delayMs));

  /** Without back-pressure: tests send little. */
  function forward(connection: Connection, from: Socket, to: Socket, isKept: (chunk: Buffer) => boolean): void {
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      if (connection.isSilent || isKept(chunk)) return;
      later(() => {
        if (!connection.isSilent && to.writable) to.write(chunk);
      });
    });
    let failed = false;
    from.on('error', () => {
      failed = true;
    });
    from.on('close', () => {
      later(() => {
        if (connection.isSilent) return;
        if (failed) to.destroy();
        else to.end();
      });
      if (connection.client.destroyed && connection.upstream?.destroyed !== false) open.delete(connection);
    });
  }

  const server = createServer((client) => {
    const connection: Connection = { client, upstream: undefined, isSilent };
    open.add(connection);
    if (isSilent) {
      client.on('error', () => undefined);
      client.on('close', () => open.delete(connection));
      client.resume();
      return;
    }
    const upstream = connect({ port, host });
    connection.upstream = upstream;
    let kept = false;
    forward(connection, client, upstream, (chunk) => {
      const hold = holds.find(({ text }) => chunk.includes(text));
      hold?.clients.add(client);
      kept ||= hold !== undefined;
      return kept;
    });
    forward(connection, upstream, client, () => false);
  });
  async function listen(at: number): Promise<number> {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
    return address.port;
  }
  const ownPort = await listen(0);

  function reset(isHit = () => true): number {
    const hit = [...open].filter(isHit);
    for (const { client, upstream } of hit) {
      // Node.js 24 fails to reset what is being shut down, never closes it, and cannot end then.
      if (client.writableEnded) client.destroy();
      else client.resetAndDestroy();
      upstream?.destroy();
    }
    return hit.length;
  }
  async function cut(): Promise<void> {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    reset();
    await closed;
  }
  return {
    port: ownPort,
    address: `127.0.0.1:${ownPort}`,
    hold(text) {
      const clients = new Set<Socket>();
      holds.push({ text, clients });
      return { count: () => clients.size, closed: () => [...clients].every((client) => client.destroyed) };
    },
    reset,
    cut,
    silence({ endsUpstream = false } = {}) {
      isSilent = true;
      for (const connection of open) {
        connection.isSilent = true;
        if (endsUpstream) connection.upstream?.destroy();
      }
    },
    async restore() {
      isSilent = false;
      if (!server.listening) await listen(ownPort);
    },
    close: cut,
  };
}
