import { createServer } from 'node:net';
import {
  freePort,
  freePorts,
  isListening,
  PortUnavailableError,
  requirePort,
} from '../../../apps/dev/servers/ports.ts';
import { afterTest } from '../temporary.ts';

async function occupied(): Promise<number> {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  afterTest(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  );
  return port;
}

test('free ports are different and can be listened on', async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    await requirePort(port, 'ANY_PORT');
    // Below the ephemeral ports, so that no outgoing connection takes it.
    expect(port).toBeLessThan(32_768);
  }
});

test('a port in use is an error with the port, its setting and the alternative', async () => {
  const port = await occupied();
  const required = requirePort(port, 'POSTGRES_PORT', 'set DATABASE_URL');
  await expect(required).rejects.toThrow(PortUnavailableError);
  await expect(required).rejects.toThrow(`Port ${port} of POSTGRES_PORT is in use.`);
  await expect(required).rejects.toThrow('set POSTGRES_PORT to another port, or set DATABASE_URL');
});

test('isListening is true only once a server listens', async () => {
  expect(await isListening(await freePort())).toBe(false);
  expect(await isListening(await occupied())).toBe(true);
});
