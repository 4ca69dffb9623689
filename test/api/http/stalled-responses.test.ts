/** Connections whose client does not read the response are closed; those that wait for a response are not. */
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

function sendRequest(path: string): Socket {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  return socket;
}
const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));

test('the connection of a client that reads nothing of its response is closed', async () => {
  const socket = sendRequest('/large');
  socket.pause();
  await until('the response is in progress', async () => (await connections()) === 1);
  await until('it is closed', async () => (await connections()) === 0, 20 * LIMIT_MS);
  socket.destroy();
});

test('a client that reads slowly, for more than twice the limit, gets the whole response', async () => {
  const socket = sendRequest('/large');
  let [bytes, pauses] = [0, 0];
  const began = Date.now();
  for await (const chunk of socket) {
    bytes += chunk.length;
    // Long pauses, and much read between them: on a busy machine many short ones would each take a multiple.
    if (bytes >= (pauses + 1) * 4 * 1024 * 1024) {
      pauses += 1;
      await delay(LIMIT_MS / 5);
    }
    if (bytes > 64 * 1024 * 1024) break;
  }
  expect(bytes).toBeGreaterThan(64 * 1024 * 1024);
  expect(Date.now() - began).toBeGreaterThan(2 * LIMIT_MS);
});

test('a response after twice the limit is sent, and the connection is closed once it is idle', async () => {
  const socket = sendRequest('/late');
  const [chunk] = await once(socket, 'data');
  expect(String(chunk)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*late$/);
  await once(socket, 'close');
});
