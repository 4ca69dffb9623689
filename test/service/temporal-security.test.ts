/** Temporal behind TLS, mTLS and an API key: dispatcher and worker authenticate, or wait until they can. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority } from '../support/certificates.ts';
import { send } from '../support/client.ts';
import { type GrpcProxyOptions, startGrpcProxy } from '../support/grpc-proxy.ts';
import { startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const API_KEY = 'eyJhbGciOiJFUzI1NiJ9.a-key-that-no-log-shows';
const SERVER_NAME = 'temporal.test';

const [ours, strangers] = await Promise.all([makeAuthority(), makeAuthority()]);
const [server, serverByName, strangersServer, client] = await Promise.all([
  ours.issue('IP:127.0.0.1'),
  ours.issue(`DNS:${SERVER_NAME}`),
  strangers.issue('IP:127.0.0.1'),
  ours.issue('DNS:client.test'),
]);

const stops: (() => Promise<unknown>)[] = [() => ours.remove(), () => strangers.remove()];
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function troubles(url: string, reason: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = new RegExp(`^dependency_trouble_total\\{dependency="temporal",reason="${reason}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

interface Case {
  /** Requirements of the proxy at first, which no client meets. */
  before: () => GrpcProxyOptions;
  after: () => GrpcProxyOptions;
  /** Settings of dispatcher and worker. */
  settings: () => Record<string, string>;
  /** The reason in dependency_trouble_total until the proxy accepts the settings. */
  reason: string;
}

const trustedCa = () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: ours.certFile });

const cases: Record<string, Case> = {
  'TLS with a private CA': {
    before: () => ({ tls: strangersServer }),
    after: () => ({ tls: server }),
    settings: trustedCa,
    reason: 'unreachable',
  },
  'TLS with a client certificate and another server name than its address': {
    before: () => ({ tls: { ...serverByName, ca: strangers.cert } }),
    after: () => ({ tls: { ...serverByName, ca: ours.cert } }),
    settings: () => ({
      ...trustedCa(),
      TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
    }),
    reason: 'unreachable',
  },
  'an API key': {
    before: () => ({ tls: server, apiKey: 'another key' }),
    after: () => ({ tls: server, apiKey: API_KEY }),
    settings: () => ({ ...trustedCa(), TEMPORAL_API_KEY: API_KEY }),
    reason: 'refused',
  },
};

test.concurrent.each(Object.entries(cases))(
  'with %s a source completes; without it no source fails, and the trouble is counted by reason',
  async (_, { before, after, settings, reason }) => {
    const proxy = await startGrpcProxy(stack().settings.TEMPORAL_ADDRESS ?? '', before());
    stops.push(() => proxy.close());
    const service = await startPrivateService({
      // The API has no credentials.
      settings: { TEMPORAL_ADDRESS: proxy.address, API_RUNS_DISPATCHER: 'false', LOG_LEVEL: 'trace' },
    });
    stops.push(() => service.stop());
    const user = await service.newUser();
    const { id } = await user.content('# Words\n\nSome words.');
    const dispatcher = await service.startDispatcher(settings());
    const worker = await service.beginWorker(settings());
    for (const { url } of [dispatcher, worker]) {
      await until(`${url} names the trouble`, async () => (await troubles(url, reason)) > 1, 60_000);
    }
    expect(await user.get(id)).toMatchObject({ status: 'CREATED', error: null });
    expect((await send(`${service.apiUrl}/health`, 'GET')).body).toMatchObject({
      status: 'degraded',
      checks: { temporal: 'down' },
    });
    expect(proxy.calls).toEqual([]);

    proxy.setOptions(after());
    await worker.started;
    expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1, error: null });
    const { rows } = await service.database.pool.query('select refusals from outbox where refusals > 0');
    expect(rows).toEqual([]);
    for (const name of ['StartWorkflowExecution', 'RespondWorkflowTaskCompleted']) {
      await until(`${name} was called`, async () => proxy.calls.some(({ method }) => method === name));
    }
    expect((await send(`${service.apiUrl}/health`, 'GET')).body.checks.temporal).toBe('down');

    let read = 0;
    for await (const file of glob(join(stack().dataFolder, 'private-*', 'logs', '*.log'))) {
      read += 1;
      expect((await readFile(file, 'utf8')).includes(API_KEY)).toBe(false);
    }
    expect(read).toBeGreaterThanOrEqual(3);
  },
  240_000,
);
