/** A generation stops within 2 s of a cancel in every stage and writes nothing afterwards. */

import { sourceWorkflowId } from '../../contract/commands.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { cpuTicks, isAlive } from '../extraction/pool/pool-work.ts';
import { received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { descendants, readProcesses } from '../support/processes.ts';
import { stack } from '../support/stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 2_000;
/** 4.9 MB of loose list items, whose extraction takes far longer than the test waits. */
const endless = '- a b c\n\n'.repeat(550_000);

let storageProxy: TcpProxy;
let service: PrivateService;
let worker: ServicePart;
let user: TestUser;
beforeAll(async () => {
  const target = new URL(stack().settings.S3_ENDPOINT ?? '');
  storageProxy = await startTcpProxy(Number(target.port), { host: target.hostname });
  service = await startPrivateService({ settings: { FETCH_RETRY_SECONDS: '60' } });
  // Only the worker goes through the proxy: its request signatures name the address that it uses.
  worker = await service.startWorker({ S3_ENDPOINT: `http://${storageProxy.address}` });
  user = await service.newUser();
  await service.database.pool.query(`
    create table allowed_writes (id uuid primary key);
    create function reject_write() returns trigger language plpgsql as $$
    begin
      if exists (select from sources where id = new.source_id and name = case when new.outcome is null
           then 'held in begin' else 'held in finish' end and id not in (select id from allowed_writes))
      then raise exception 'rejected by the test'; end if;
      return new;
    end $$;
    create trigger reject_begin before update on source_generations for each row
      when (new.stage = 'begin' and old.stage is null and new.outcome is null) execute function reject_write();
    create trigger reject_finish before update on source_generations for each row
      when (new.outcome = 'COMPLETED') execute function reject_write()`);
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await storageProxy?.close();
});

const stored = async (id: string): Promise<string[]> => {
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  const keys: string[] = [];
  for await (const { key } of storage.list(`sources/${id}/`)) keys.push(key);
  storage.close();
  return keys;
};

/** All rows and objects that a generation could write. */
async function written(id: string) {
  const rows = await service.database.pool.query(
    `select to_jsonb(s) - 'checked_at' as source, to_jsonb(g) as generation
     from sources s join source_generations g on g.source_id = s.id where s.id = $1 order by g.generation`,
    [id],
  );
  const artifacts = await service.database.pool.query('select id, updated_at from artifacts where source_id = $1', [
    id,
  ]);
  return { rows: rows.rows, artifacts: artifacts.rows, objects: await stored(id) };
}

/** A source with a running generation; `stopped` tells whether its work has stopped. */
interface Running {
  id: string;
  stopped: () => Promise<boolean | undefined>;
}

async function hangingPage(by = user): Promise<Running> {
  const path = sitePath('hanging');
  const data = await script(path, [{ hang: true }]);
  const { id } = await by.create({ type: 'URI', initial_data: { data } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, stopped: async () => (await received(path))[0]?.aborted };
}

const runCloses = (id: string) => async () =>
  (await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe()).status.name !== 'RUNNING';

async function backingOff(): Promise<Running> {
  const path = sitePath('failing');
  const data = await script(path, [
    { status: 503, headers: { 'retry-after': '3' } },
    { body: '<p>Not to be read.</p>' },
  ]);
  const { id } = await user.create({ type: 'URI', initial_data: { data } });
  await until('the first try has failed', async () => {
    const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return raw.pendingActivities?.some(({ lastFailure }) => lastFailure);
  });
  return { id, stopped: runCloses(id) };
}

async function writingObjects(): Promise<Running> {
  const holding = storageProxy.blockRequests('PUT /');
  const data = await script(sitePath('page'), [{ body: '<h1>Never stored</h1><p>Its text.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data } });
  await until('it is being stored', async () => holding.count() > 0);
  return { id, stopped: async () => holding.closed() };
}

/** The process id of the extraction child that uses the CPU. */
async function busyChild(): Promise<number> {
  const before = new Map<number, number>();
  return until('a child is busy', async () => {
    for (const pid of descendants(await readProcesses(), worker.pid)) {
      if (!isAlive(pid)) continue;
      const first = before.get(pid) ?? cpuTicks(pid);
      before.set(pid, first);
      if (cpuTicks(pid) > first + 30) return pid;
    }
    return null;
  });
}

async function inExtraction(id: string, stage: 'context' | 'artifacts'): Promise<Running> {
  await until(`it is in ${stage}`, async () => (await user.get(id)).progress?.stage === stage);
  const pid = await busyChild();
  return { id, stopped: async () => !isAlive(pid) };
}

async function readingContext(): Promise<Running> {
  const { id } = await user.content(endless);
  return inExtraction(id, 'context');
}

async function readingArtifacts(): Promise<Running> {
  const markdown = { 'content-type': 'text/markdown' };
  const responses = [
    { body: '# Short', headers: markdown },
    { body: endless, headers: markdown },
  ];
  const { id } = await user.create({ type: 'URI', initial_data: { data: await script(sitePath('long'), responses) } });
  await user.reach(id, 'COMPLETED');
  await user.call('POST', `/v1/sources/${id}/refresh`, { run_context_extraction: false });
  return inExtraction(id, 'artifacts');
}

async function awaitingMembers(): Promise<Running> {
  const member = await hangingPage();
  const { id } = await user.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
  await until('it waits', async () => (await user.get(id)).progress?.stage === 'wait');
  return { id, stopped: runCloses(id) };
}

/** A fetch concurrent with the delivery of an earlier generation, which continues. */
async function besideDelivery(): Promise<Running> {
  const postback = await script(sitePath('slow'), [{ hang: true }]);
  const path = sitePath('page');
  const data = await script(path, [{ body: '<p>Once.</p>' }, { hang: true }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions: { postback_url: postback } });
  await user.reach(id, 'COMPLETED');
  await user.call('POST', `/v1/sources/${id}/refresh`);
  await until('the page is requested again', async () => (await received(path)).length === 2);
  return { id, stopped: async () => (await received(path))[1]?.aborted };
}

/** PENDING_ACTIVITY_STATE_STARTED of Temporal's API: a worker executes the activity; it does not wait for a retry. */
const STARTED = 2;

/** A generation whose write the database rejects; once the write is allowed, its fence finds the cancel. */
async function rejectedWrite(stage: 'begin' | 'finish'): Promise<Running> {
  const { id } = await user.create({ type: 'CONTENT', initial_data: { data: 'Text.' }, name: `held in ${stage}` });
  const activity = stage === 'begin' ? 'beginGeneration' : 'finishGeneration';
  await until(`${stage} is rejected`, async () => {
    const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return raw.pendingActivities?.some(
      ({ activityType, lastFailure }) => activityType?.name === activity && lastFailure,
    );
  });
  return {
    id,
    async stopped() {
      const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
      if (raw.pendingActivities?.some(({ state }) => state === STARTED)) return false;
      await service.database.pool.query('insert into allowed_writes values ($1) on conflict do nothing', [id]);
      return true;
    },
  };
}

const byRequest = async ({ id }: Running) => {
  expect(await user.call('POST', `/v1/sources/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { data: { status: 'CANCELED' } },
  });
};
const byOperator = ({ id }: Running) => service.temporal.workflow.getHandle(sourceWorkflowId(id)).cancel();

/** Ends `running` by `end`; expects its work to stop within 2 s. */
async function stops(running: Running, end: (running: Running) => Promise<unknown>): Promise<void> {
  await end(running);
  const endedAt = Date.now();
  await until('its work has stopped', running.stopped);
  expect(Date.now() - endedAt).toBeLessThan(WITHIN_MS);
}

async function writesNothingMore(id: string): Promise<void> {
  const before = await written(id);
  // Late writes would come before the end of this source.
  await user.reach((await user.content('Another source.')).id, 'COMPLETED', 60_000);
  expect(await written(id)).toEqual(before);
}

const stages: [string, () => Promise<Running>][] = [
  ['waits for its members', awaitingMembers],
  ['fetches a page that does not respond', hangingPage],
  ['waits to fetch again', backingOff],
  ['extracts the context', readingContext],
  ['extracts the artifacts', readingArtifacts],
  ['fetches while an earlier generation is delivered', besideDelivery],
];

describe('a generation that', () => {
  test.each([
    ...stages,
    ['cannot be begun', () => rejectedWrite('begin')] as const,
    ['cannot be finished', () => rejectedWrite('finish')] as const,
  ])('%s stops within 2 s of the response to a cancel, and writes nothing more', async (_, begin) => {
    const running = await begin();
    await stops(running, byRequest);
    await writesNothingMore(running.id);
    expect((await user.get(running.id)).status).toBe('CANCELED');
  });

  test.each(stages)('%s stops within 2 s of an operator’s cancel, and writes nothing more', async (_, begin) => {
    const running = await begin();
    await stops(running, byOperator);
    await user.reach(running.id, 'CANCELED');
    await writesNothingMore(running.id);
  });
});

describe('a fetch is aborted within 2 s of', () => {
  const endings: [string, (running: Running) => Promise<{ status: number }>][] = [
    ['a reprocess', ({ id }) => user.call('POST', `/v1/sources/${id}/reprocess`)],
    [
      'new data',
      async ({ id }) => {
        const data = await script(sitePath('new'), [{ body: '<p>New.</p>' }]);
        return user.call('PATCH', `/v1/sources/${id}`, { initial_data: { data } });
      },
    ],
    ['the deletion of its source', ({ id }) => user.call('DELETE', `/v1/sources/${id}`)],
  ];

  test.each(endings)('%s', async (_, end) => {
    await stops(await hangingPage(), async (running) => {
      expect([200, 202, 204]).toContain((await end(running)).status);
    });
  });

  test('the deletion of its space', async () => {
    const own = await service.newUser();
    await stops(await hangingPage(own), async () => {
      expect((await own.call('DELETE', `/v1/spaces/${own.spaceId}`)).status).toBe(204);
    });
  });
});

test('an operator’s cancel aborts a delivery in progress within 2 s', async () => {
  const slow = sitePath('slow');
  const { id } = await user.content('Text.', { postback_url: await script(slow, [{ hang: true }]) });
  await until('the postback is requested', async () => (await received(slow)).length === 1);
  await stops({ id, stopped: async () => (await received(slow))[0]?.aborted }, byOperator);
  expect(await settledDeliveries(user, id)).toMatchObject([{ state: 'failed', reason: 'canceled_by_operator' }]);
});

test('an operator’s cancel aborts the check of a link within 2 s, and the artifact is FAILED', async () => {
  const linked = sitePath('linked');
  const { id } = await user.content(`[a page](${await script(linked, [{ hang: true }])})\n`);
  await user.reach(id, 'COMPLETED');
  const [artifact] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
  await user.call('PUT', `/v1/source-artifact/${artifact.id}/process`);
  await until('the link is requested', async () => (await received(linked)).length === 1);
  await stops({ id, stopped: async () => (await received(linked))[0]?.aborted }, () =>
    service.temporal.workflow.getHandle(`artifact-${artifact.id}`).cancel(),
  );
  await until('the artifact is FAILED', async () => {
    const { data } = (await user.call('GET', `/v1/source-artifact/${artifact.id}`)).body;
    return data.status === 'FAILED';
  });
});

// The next test keeps the slots of an owner taken, and the last one the worker's connection to the storage.

test('a generation that waits for an owner slot is canceled within 2 s, and its page is never requested', async () => {
  // More than the slots of one owner.
  const own = await service.newUser();
  await Promise.all(Array.from({ length: 10 }, () => hangingPage(own)));
  const path = sitePath('never');
  const { id } = await own.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('it waits for a slot', async () => {
    const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return raw.pendingActivities?.length === 1;
  });
  await stops({ id, stopped: runCloses(id) }, () => own.call('POST', `/v1/sources/${id}/cancel`));
  expect(await received(path)).toEqual([]);
});

test('a generation that stores an object aborts that within 2 s of a cancel, and leaves no object', async () => {
  const running = await writingObjects();
  await stops(running, byRequest);
  expect(await stored(running.id)).toEqual([]);
});
