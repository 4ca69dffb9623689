/** Who does not read an answer is cut off; who waits for one is not. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { closeStalledResponses } from '../../../apps/api/http/stalled-responses.ts';
import { until } from '../../support/until.ts';

const LIMIT_MS = 1_000;
let app: FastifyInstance;
beforeAll(async () => {
  app = fastify({ connectionTimeout: LIMIT_MS, keepAliveTimeout: LIMIT_MS });
  closeStalledResponses(app);
  app.get('/large', async () => Buffer.alloc(64 * 1024 * 1024));
  app.get('/late', async () => {
    await delay(2 * LIMIT_MS);
    return 'late';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

function ask(path: string): Socket {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  return socket;
}
const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));

test('a client that reads nothing of its answer is cut off', async () => {
  const socket = ask('/large');
  socket.pause();
  await until('the answer is under way', async () => (await connections()) === 1);
  await until('it is given up', async () => (await connections()) === 0, 20 * LIMIT_MS);
  socket.destroy();
});

test('one that reads slowly gets all of it', async () => {
  const socket = ask('/large');
  let bytes = 0;
  const began = Date.now();
  for await (const chunk of socket) {
    bytes += chunk.length;
    await delay(2);
    if (bytes > 64 * 1024 * 1024) break;
  }
  expect(bytes).toBeGreaterThan(64 * 1024 * 1024);
  expect(Date.now() - began).toBeGreaterThan(2 * LIMIT_MS);
});

test('an answer that comes late is waited for, and an idle connection is closed', async () => {
  const socket = ask('/late');
  const [chunk] = await once(socket, 'data');
  expect(String(chunk)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*late$/);
  await once(socket, 'close');
});
