/** A way to a server that a test can cut: a TCP relay on a port of its own. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Relays to `host:port` until it is cut; connections that are open then break, new ones are refused. */
export async function cuttable(host: string, port: number) {
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(port, host);
    for (const socket of [from, to]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        from.destroy();
        to.destroy();
      });
    }
    from.pipe(to);
    to.pipe(from);
  });
  async function listen(at: number): Promise<AddressInfo> {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('not a TCP port');
    return address;
  }
  const { port: own } = await listen(0);
  return {
    address: `127.0.0.1:${own}`,
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    restore: () => listen(own),
  };
}
