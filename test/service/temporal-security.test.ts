/** Temporal behind TLS, mTLS and an API key: what it asks for is given by dispatcher and worker alike, or waited for. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Certificate, type CertificateAuthority, makeAuthority } from '../support/certificates.ts';
import { send } from '../support/client.ts';
import { type GrpcProxy, type GrpcProxyOptions, startGrpcProxy } from '../support/grpc-proxy.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const API_KEY = 'eyJhbGciOiJFUzI1NiJ9.a-key-that-no-log-shows';
const SERVER_NAME = 'temporal.test';

let ours: CertificateAuthority;
let strangers: CertificateAuthority;
let server: Certificate;
let serverByName: Certificate;
let strangersServer: Certificate;
let client: Certificate;
beforeAll(async () => {
  [ours, strangers] = await Promise.all([makeAuthority(), makeAuthority()]);
  [server, serverByName, strangersServer, client] = await Promise.all([
    ours.issue('IP:127.0.0.1'),
    ours.issue(`DNS:${SERVER_NAME}`),
    strangers.issue('IP:127.0.0.1'),
    ours.issue('DNS:client.test'),
  ]);
});
afterAll(() => Promise.all([ours?.remove(), strangers?.remove()]));

let proxy: GrpcProxy;
let service: PrivateService;
afterEach(async () => {
  await service?.stop();
  await proxy?.close();
});

async function troubles(url: string, reason: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = new RegExp(`^dependency_trouble_total\\{dependency="temporal",reason="${reason}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

interface Case {
  /** What the proxy asks for at first, which nobody has. */
  before: () => GrpcProxyOptions;
  after: () => GrpcProxyOptions;
  /** Of dispatcher and worker. */
  settings: () => Record<string, string>;
  /** How the trouble shows until the proxy asks for what they have. */
  reason: string;
}

const trusting = () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: ours.certFile });

const cases: Record<string, Case> = {
  'TLS with a CA of its own': {
    before: () => ({ tls: strangersServer }),
    after: () => ({ tls: server }),
    settings: trusting,
    reason: 'unreachable',
  },
  'TLS with a client certificate, under another name than its address': {
    before: () => ({ tls: { ...serverByName, ca: strangers.cert } }),
    after: () => ({ tls: { ...serverByName, ca: ours.cert } }),
    settings: () => ({
      ...trusting(),
      TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
    }),
    reason: 'unreachable',
  },
  'an API key': {
    before: () => ({ tls: server, apiKey: 'another key' }),
    after: () => ({ tls: server, apiKey: API_KEY }),
    settings: () => ({ ...trusting(), TEMPORAL_API_KEY: API_KEY }),
    reason: 'refused',
  },
};

test.each(Object.entries(cases))(
  'a source runs where Temporal asks for %s; without it nothing fails, and the trouble has its name',
  async (_, { before, after, settings, reason }) => {
    proxy = await startGrpcProxy(stack().settings.TEMPORAL_ADDRESS ?? '', before());
    service = await startPrivateService({
      // The API itself has no credentials at all.
      settings: { TEMPORAL_ADDRESS: proxy.address, API_RUNS_DISPATCHER: 'false', LOG_LEVEL: 'trace' },
    });
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

    proxy.become(after());
    await worker.started;
    expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1, error: null });
    const { rows } = await service.database.pool.query('select refusals from outbox where refusals > 0');
    expect(rows).toEqual([]);
    const methods = new Set(proxy.calls.map(({ method }) => method));
    expect(methods).toContain('StartWorkflowExecution');
    expect(methods).toContain('RespondWorkflowTaskCompleted');
    expect((await send(`${service.apiUrl}/health`, 'GET')).body.checks.temporal).toBe('down');

    let read = 0;
    for await (const file of glob(join(stack().dataFolder, 'private-*', 'logs', '*.log'))) {
      read += 1;
      expect((await readFile(file, 'utf8')).includes(API_KEY)).toBe(false);
    }
    expect(read).toBeGreaterThanOrEqual(3);
  },
  180_000,
);
