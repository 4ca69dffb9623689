/** A way to a server on which a test holds back what clients send, and sees them go away. */
import { connect, createServer, type Socket } from 'node:net';

/** Requests whose beginning holds a certain text: they are kept, and with them their connections. */
export interface Held {
  /** How many are kept, also when their clients have gone since. */
  count(): number;
  /** Whether every client that had one kept has closed its connection. */
  closed(): boolean;
}

export interface Relay {
  port: number;
  hold(text: string): Held;
  close(): Promise<void>;
}

/** Passes everything on to `port` of 127.0.0.1 but what is held back. */
export async function startRelay(port: number): Promise<Relay> {
  const holds: { text: string; clients: Set<Socket> }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    let kept = false;
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    target.pipe(client);
    client.on('data', (chunk) => {
      const hold = holds.find(({ text }) => chunk.includes(text));
      if (hold !== undefined) hold.clients.add(client);
      kept ||= hold !== undefined;
      if (!kept) target.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A relay listens on a port.');
  return {
    port: address.port,
    hold(text) {
      const clients = new Set<Socket>();
      holds.push({ text, clients });
      return { count: () => clients.size, closed: () => [...clients].every((client) => client.destroyed) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
