/** TCP proxy that tests make slow, silent or unreachable. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Connections that the proxy blocks from a request with a certain text on. */
export interface BlockedConnections {
  /** Number of blocked connections, including those that their clients have closed since. */
  count(): number;
  /** Returns whether the clients have closed all of these connections. */
  closed(): boolean;
}

export interface TcpProxy {
  /** Port on 127.0.0.1; unchanged by `cut` and `restore`. */
  port: number;
  /** `127.0.0.1:<port>` */
  address: string;
  /** Drops every request with a chunk that contains `text`, and all later data of its connection. */
  blockRequests(text: string): BlockedConnections;
  /** Resets all open connections, or those that `isHit` selects. Returns their number. Accepts new ones. */
  reset(isHit?: () => boolean): number;
  /** Resets all connections and stops listening until `restore`. */
  cut(): Promise<void>;
  /**
   * Drops all packets in both directions from now on. Open connections stay open; new ones are accepted but get no
   * response. The server does not see its clients close, unless `endsUpstream`.
   */
  silence(options?: { endsUpstream?: boolean }): void;
  /**
   * Serves new connections again. Connections from the silent period stay silent, as after a failover; `reset` closes
   * them.
   */
  restore(): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  client: Socket;
  upstream: Socket | undefined;
  isSilent: boolean;
}

/** Starts a proxy on a free port of 127.0.0.1 to `host:port`. Delays each packet by `delayMs`, in order. */
export async function startTcpProxy(
  port: number,
  { host = '127.0.0.1', delayMs = 0 }: { host?: string; delayMs?: number } = {},
): Promise<TcpProxy> {
  const open = new Set<Connection>();
  const blocks: { text: string; clients: Set<Socket> }[] = [];
  let isSilent = false;

  // Timers of equal length fire in the order in which they were started.
  const later = (work: () => void) => (delayMs === 0 ? work() : void setTimeout(work, delayMs));

  /** Forwards one direction, without back-pressure since tests send little. */
  function forward(connection: Connection, from: Socket, to: Socket, isBlocked: (chunk: Buffer) => boolean): void {
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      if (connection.isSilent || isBlocked(chunk)) return;
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
    let isBlocked = false;
    forward(connection, client, upstream, (chunk) => {
      const block = blocks.find(({ text }) => chunk.includes(text));
      block?.clients.add(client);
      isBlocked ||= block !== undefined;
      return isBlocked;
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
      // Node.js 24 cannot reset a socket that is shutting down: it never closes and keeps the process alive.
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
    blockRequests(text) {
      const clients = new Set<Socket>();
      blocks.push({ text, clients });
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
