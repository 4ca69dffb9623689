/** Ports on 127.0.0.1: the only address on which a server of `npm start` listens. */
import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { errorCode, errorText } from '../binaries/error-parts.ts';

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

/**
 * Range of free ports: below the ephemeral ports of Linux (from 32,768) and macOS (from 49,152), which an outgoing
 * connection may take between our check and the server's start.
 */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_767;
const MAX_TRIES = 200;

async function listenAnywhere(): Promise<{ port: number; server: Server }> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    try {
      return { port, server: await listen(port) };
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
}

/** Returns `count` different ports that were free: all are bound before the first is released. */
export async function freePorts(count: number): Promise<number[]> {
  const bound = await Promise.all(Array.from({ length: count }, listenAnywhere));
  await Promise.all(bound.map(({ server }) => close(server)));
  return bound.map(({ port }) => port);
}

/** Returns a port that was free. */
export async function freePort(): Promise<number> {
  const { port, server } = await listenAnywhere();
  await close(server);
  return port;
}

/**
 * Checks that `port` can be listened on.
 * @param setting name of the setting for the port
 * @param instead another remedy for the message, such as "set DATABASE_URL to use a server that runs"
 * @throws PortUnavailableError that names port and setting.
 */
export async function requirePort(port: number, setting: string, instead = ''): Promise<void> {
  try {
    await close(await listen(port));
  } catch (error) {
    const code = errorCode(error);
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code ?? errorText(error)})`;
    const remedy = `Stop that server, or set ${setting} to another port${instead === '' ? '' : `, or ${instead}`}.`;
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
