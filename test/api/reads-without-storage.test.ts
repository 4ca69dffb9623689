/** While the storage does not respond, reads of stored results fail within 5 s. */
import type { TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

describe('while the storage', () => {
  let service: PrivateService;
  let proxy: TcpProxy;
  let id: string;
  let of: TestUser;
  beforeAll(async () => {
    const storage = new URL(stack().settings.S3_ENDPOINT ?? '');
    proxy = await startTcpProxy(Number(storage.port), { host: storage.hostname });
    service = await startPrivateService();
    await service.startWorker();
    of = await service.newUser();
    id = (await of.content('Some words.')).id;
    await of.reach(id, 'COMPLETED', 60_000);
  }, 120_000);
  afterAll(async () => {
    await service?.stop();
    await proxy?.close();
  });

  test.each<['is away' | 'is silent', () => Promise<unknown>]>([
    ['is away', () => proxy.cut()],
    ['is silent', async () => proxy.silence()],
  ])('%s, a read is 503 within 5 s', async (_, fail) => {
    const settings = { S3_ENDPOINT: `http://${proxy.address}`, API_RUNS_DISPATCHER: 'false' };
    const replica = await service.startReplica(settings);
    const reader = {
      ...of,
      call: async (path: string) => fetch(`${replica.url}${path}`, { headers: { authorization: `Bearer ${of.key}` } }),
    };
    expect((await reader.call(`/v1/sources/${id}/content`)).status).toBe(200);
    await fail();
    for (const path of ['content', 'context']) {
      const begun = Date.now();
      const response = await reader.call(`/v1/sources/${id}/${path}`);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(Date.now() - begun).toBeLessThan(5_000);
    }
    proxy.reset();
    await proxy.restore();
    await replica.kill();
  });
});
