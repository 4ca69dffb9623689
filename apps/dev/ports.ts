/** Ports on 127.0.0.1: the only address on which a server of `npm start` listens. */
import { connect, createServer, type Server } from 'node:net';
import { errorCode, errorText } from './error-parts.ts';

export class PortUnavailableError extends Error {
  override readonly name = 'PortUnavailableError';
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}

/** `count` different ports that were free a moment ago: all are held before the first is let go. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
}

/** One port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = await listen(0);
  const port = portOf(server);
  await close(server);
  return port;
}

/**
 * Sees that `port` can be listened on. `setting` is the name under which people change it, `instead` what else they
 * may do ("set DATABASE_URL to use the server that is there").
 * @throws PortUnavailableError naming the port and the setting.
 */
export async function requirePort(port: number, setting: string, instead = ''): Promise<void> {
  try {
    await close(await listen(port));
  } catch (error) {
    const code = errorCode(error);
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code ?? errorText(error)})`;
    const remedy = `End what listens there, or set ${setting} to another port${instead === '' ? '' : `, or ${instead}`}.`;
    throw new PortUnavailableError(`Port ${port} of ${setting} ${reason}. ${remedy}`);
  }
}

/** Whether anything listens on `port`. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
