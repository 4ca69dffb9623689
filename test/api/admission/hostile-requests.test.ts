/**
 * Requests that are meant to stop the API. While they are served, other clients wait less than 500 ms, and the process
 * grows by less than 256 MiB.
 */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';

const MIB = 1024 * 1024;
const MAX_WAIT_MS = 500;
const MAX_GROWTH_BYTES = 256 * MIB;

let service: PrivateService;
let attacker: TestUser;
let other: TestUser;
let pid: number;
beforeAll(async () => {
  service = await startPrivateService({ settings: { OPEN_WAITS_PRO: '100' } });
  [attacker, other] = await Promise.all([service.newUser(), service.newUser()]);
  pid = service.api.pid;
  // Warm-up of the process.
  for (let time = 0; time < 50; time += 1) await other.call('GET', `/v1/spaces/${other.spaceId}/sources`);
}, 60_000);
const rows = [
  '| Request | Concurrent | Status | CPU, ms | Longest wait of another client, ms | Memory, MiB |',
  '|---|---:|---|---:|---:|---:|',
];
afterAll(async () => {
  await service?.stop();
  if (process.env.SHOW_COSTS !== undefined) console.log(rows.join('\n'));
});

/** Resident memory of the API in bytes: now, and the peak since `resetPeak`. */
async function memory(): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}
const resetPeak = () => writeFile(`/proc/${pid}/clear_refs`, '5');

/** CPU time of the API so far, in milliseconds: fields 14 and 15 of proc(5) are in hundredths of a second. */
async function processorMs(): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Cost {
  statuses: number[];
  processorMs: number;
  longestWaitMs: number;
  growthBytes: number;
}

/** Another client, in a worker thread, so that the attacker's work in this thread does not delay it. */
const otherClient = `
  const { parentPort, workerData } = require('node:worker_threads');
  let longest = 0;
  let over = false;
  parentPort.once('message', () => { over = true; });
  (async () => {
    while (!over) {
      const begun = performance.now();
      const response = await fetch(workerData.url, { headers: { authorization: 'Bearer ' + workerData.key } });
      await response.arrayBuffer();
      longest = Math.max(longest, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    parentPort.postMessage(longest);
  })();
  parentPort.postMessage('ready');
`;

/** Runs an attack; returns its statuses, the CPU time, the longest wait of another client and the memory growth. */
async function costOf(attack: () => Promise<number[]>): Promise<Cost> {
  await resetPeak();
  const processorBefore = await processorMs();
  const { now: idle } = await memory();
  const client = new Worker(otherClient, {
    eval: true,
    workerData: { url: `${service.apiUrl}/v1/spaces`, key: other.key },
  });
  try {
    await once(client, 'message');
    const statuses = await attack();
    client.postMessage('over');
    const [longestWaitMs] = await once(client, 'message');
    const used = (await processorMs()) - processorBefore;
    return { statuses, processorMs: used, longestWaitMs, growthBytes: (await memory()).peak - idle };
  } finally {
    await client.terminate();
  }
}

async function post(path: string, body: Buffer, method = 'POST'): Promise<number> {
  const headers = { authorization: `Bearer ${attacker.key}`, 'content-type': 'application/json' };
  const response = await fetch(`${service.apiUrl}${path}`, { method, headers, body });
  const text = await response.text();
  if (text.length > 100_000) throw new Error(`a response of ${text.length} characters`);
  return response.status;
}
const SOURCES = () => `/v1/spaces/${attacker.spaceId}/sources`;
const source = (rest: string) => `{"type":"CONTENT","initial_data":{"data":"x"},"instructions":{}${rest}}`;
const ofType = (type: string, data: string) => `{"type":"${type}","initial_data":${data},"instructions":{}}`;
const entries = Array.from({ length: 1_000_000 }, (_, n) => `"${n}":null`).join(',');
const zeros = `${'0,'.repeat(8 * MIB - 1_000)}0`;
const letters = 'a'.repeat(15 * MIB);

interface Attack {
  path?: () => string;
  method?: string;
  body: string;
  times: number;
  status: number;
}
const attacks: Record<string, Attack> = {
  'metadata of a million entries': { body: source(`,"metadata":{${entries}}`), times: 4, status: 400 },
  'a PATCH of a million entries': {
    ...{ path: () => '/v1/sources/01890000-0000-7000-8000-000000000000', method: 'PATCH' },
    ...{ body: `{"metadata":{${entries}}}`, times: 4, status: 400 },
  },
  'millions of elements below 96 arrays': {
    body: source(`,"metadata":${'['.repeat(96)}${zeros}${']'.repeat(96)}`),
    times: 4,
    status: 400,
  },
  'a million elements of a bulk action': {
    path: () => `${SOURCES()}/actions`,
    body: `{"action":"pin","ids":[${'0,'.repeat(500_000)}0]}`,
    times: 10,
    status: 400,
  },
  'brackets without end': { body: '['.repeat(15 * MIB), times: 10, status: 400 },
  'a name of 15 MiB': { body: source(`,"name":"${letters}"`), times: 4, status: 400 },
  'a field name of 15 MiB': { body: source(`,"${letters}":1`), times: 4, status: 400 },
  'a name of escaped quotation marks': { body: source(`,"name":"${'\\"'.repeat(7 * MIB)}"`), times: 4, status: 400 },
  'a hundred wrong texts below a name of 15 MiB': {
    body: ofType('CONTENT', `{"data":"x"},"metadata":{"${letters}":[${'"\\ud800",'.repeat(100)}0]}`),
    times: 4,
    status: 400,
  },
  '15 MiB beside the data': { body: ofType('CONTENT', `{"data":"x","junk":"${letters}"}`), times: 4, status: 400 },
  'a URL of 15 MiB': { body: ofType('URI', `{"data":"http://a/${letters}"}`), times: 4, status: 400 },
  'members in 15 MiB of white space': {
    body: ofType('COMPOSITION', `{"data":"${' '.repeat(15 * MIB)}"}`),
    times: 4,
    status: 400,
  },
  'texts of 2 MiB that escapes make 12 MiB': {
    body: ofType('CONTENT', `{"data":"${'\\u0001'.repeat(2 * MIB)}"}`),
    times: 10,
    status: 201,
  },
  'texts of 5 MiB': { body: ofType('CONTENT', `{"data":"${'a '.repeat(2.5 * MIB)}"}`), times: 10, status: 201 },
};

test.each(Object.entries(attacks))(
  '%s: other clients wait less than 500 ms, and the memory grows by less than 256 MiB',
  async (name, { path = SOURCES, method = 'POST', body, times, status }) => {
    const bytes = Buffer.from(body);
    const cost = await costOf(() => Promise.all(Array.from({ length: times }, () => post(path(), bytes, method))));
    note(name, times, cost);
    expectWithinLimits(cost, status);
  },
  120_000,
);

test('40 lists of sources with long texts: the same limits of wait and memory', async () => {
  const headers = { authorization: `Bearer ${attacker.key}` };
  const cost = await costOf(() =>
    Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await fetch(`${service.apiUrl}${SOURCES()}?limit=100`, { headers });
        await response.arrayBuffer();
        return response.status;
      }),
    ),
  );
  note('lists of sources with long texts', 40, cost);
  expectWithinLimits(cost, 200);
}, 120_000);

/** A row of the table in docs/security.md. */
function note(name: string, times: number, cost: Cost): void {
  rows.push(
    `| ${name} | ${times} | ${[...new Set(cost.statuses)]} | ${cost.processorMs} | ${Math.round(cost.longestWaitMs)} | ${Math.round(cost.growthBytes / MIB)} |`,
  );
}

function expectWithinLimits({ statuses, longestWaitMs, growthBytes }: Cost, status: number): void {
  expect(new Set(statuses)).toEqual(new Set([status]));
  expect(longestWaitMs).toBeLessThan(MAX_WAIT_MS);
  expect(growthBytes).toBeLessThan(MAX_GROWTH_BYTES);
}
