/** Cancel: written before the response, and it fences out what the run still does. */

import { contextSummarySchema } from '../../contract/extraction.ts';
import { openDatabase } from '../../db/orm.ts';
import { transaction } from '../../db/sql.ts';
import { endGeneration } from '../../db/transitions/generations/end-generation.ts';
import { storeArtifacts, storeContent, storeContext } from '../../db/transitions/generations/record-progress.ts';
import { defaultLimits } from '../../extraction/limits.ts';
import { createTasks } from '../../extraction/pool/tasks.ts';
import { contentOf } from '../extraction/content.ts';
import { newUser, received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const user = await newUser();

const cancel = (id: string, by: TestUser = user) => by.call('POST', `/v1/sources/${id}/cancel`);
const reprocess = (id: string) => user.call('POST', `/v1/sources/${id}/reprocess`);

/** A URI source whose first request hangs; waits until that request has arrived. */
async function hanging(postbackUrl?: string) {
  const path = sitePath('hanging');
  const url = await script(path, [{ hang: true }, { body: '<p>The page answered at last.</p>' }]);
  const instructions = postbackUrl === undefined ? {} : { postback_url: postbackUrl };
  const { id } = await user.create({ type: 'URI', initial_data: { data: url }, instructions });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, path };
}

describe('cancel of a source that is PROCESSING', () => {
  test('fences out all later writes of the canceled generation', async () => {
    const { id } = await hanging();
    await cancel(id);
    const before = await user.get(id);
    const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
    try {
      const late = { sourceId: id, generation: 1 };
      const object = 'sources/late';
      const content = { key: object, contentType: 'text/html', sizeBytes: 1, url: null, validators: null };
      await storeContent(database.pool, late, content);
      const { context } = await createTasks(defaultLimits).read(contentOf('# Late'));
      const summary = contextSummarySchema.parse(context);
      await storeContext(database.pool, late, object, {
        markdownKey: object,
        markdownSize: 1,
        contextKey: object,
        contextSize: 1,
        summary,
      });
      await storeArtifacts(database.pool, late, object, []);
      const end = transaction(database, (session) => endGeneration(session, '', late, { status: 'COMPLETED' }));
      expect(await end).toBeNull();
    } finally {
      await database.close();
    }
    expect(await user.get(id)).toEqual(before);
  });
});

describe('cancel before the run', () => {
  test('of a CREATED source is 200 with startedAt null', async () => {
    const service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
    try {
      const own = await service.newUser();
      const { id } = await own.content('Never read.');
      expect((await own.get(id)).status).toBe('CREATED');
      expect(await cancel(id, own)).toMatchObject({
        status: 200,
        body: { data: { status: 'CANCELED', startedAt: null } },
      });
    } finally {
      await service.stop();
    }
  });

  test('of a PENDING source: a worker started later sends its postback and fetches nothing', async () => {
    const service = await startPrivateService();
    try {
      const own = await service.newUser();
      const postback = sitePath('postback');
      const page = sitePath('page');
      const { id } = await own.create({
        type: 'URI',
        initial_data: { data: await script(page, [{ body: '<p>Not to be fetched.</p>' }]) },
        instructions: { postback_url: await script(postback, [{ status: 204 }]) },
      });
      await own.reach(id, 'PENDING');
      const response = await cancel(id, own);
      expect(response).toMatchObject({ status: 200, body: { data: { status: 'CANCELED', startedAt: null } } });
      await service.startWorker();
      expect(await settledDeliveries(own, id)).toMatchObject([{ generation: 1, state: 'delivered' }]);
      expect((await received(postback)).map(({ body }) => JSON.parse(body).type)).toEqual(['source.canceled']);
      expect(await received(page)).toEqual([]);
      expect(await own.get(id)).toMatchObject({ status: 'CANCELED', startedAt: null });
    } finally {
      await service.stop();
    }
  });
});

describe('cancel of a source that has ended', () => {
  test('is 200 and changes nothing if it was CANCELED', async () => {
    const { id } = await hanging();
    await cancel(id);
    const { updatedAt, revision, finishedAt } = await user.get(id);
    expect(await cancel(id)).toMatchObject({
      status: 200,
      body: { data: { status: 'CANCELED', updatedAt, revision, finishedAt } },
    });
  });

  test('is 409 if it was COMPLETED or FAILED', async () => {
    const completed = await user.content('Some text.');
    const url = await script(sitePath('missing'), [{ status: 404 }]);
    const failed = await user.create({ type: 'URI', initial_data: { data: url } });
    const ended = await Promise.all([user.reach(completed.id, 'COMPLETED'), user.reach(failed.id, 'FAILED')]);
    for (const source of ended) {
      const response = await cancel(source.id);
      expect(response).toMatchObject({
        status: 409,
        body: { code: 409, error: 'Conflict', details: [{ field: 'status' }] },
      });
      expect(await user.get(source.id)).toEqual(source);
    }
  });
});

describe('after a cancel', () => {
  test('a reprocess fetches the content that the canceled generation did not get', async () => {
    const { id, path } = await hanging();
    await cancel(id);
    await closedRun(temporal(), id);
    expect(await reprocess(id)).toMatchObject({ status: 202, body: { data: { generation: 2 } } });
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 2, resultGeneration: 2 });
    expect(await user.markdown(id)).toContain('The page answered at last.');
    expect(await received(path)).toHaveLength(2);
  });

  test('an immediate reprocess: each of the two generations sends its own postback', async () => {
    const postback = sitePath('postback');
    const { id } = await hanging(await script(postback, [{ status: 200 }]));
    const [canceled, restarted] = [await cancel(id), await reprocess(id)];
    expect(canceled).toMatchObject({ status: 200, body: { data: { status: 'CANCELED' } } });
    expect(restarted).toMatchObject({ status: 202, body: { data: { generation: 2 } } });
    await user.reach(id, 'COMPLETED');
    expect(await settledDeliveries(user, id, 2)).toMatchObject([
      { generation: 2, state: 'delivered' },
      { generation: 1, state: 'delivered' },
    ]);
    const bodies = (await received(postback)).map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ type, data }) => `${data.generation} ${type}`).sort()).toEqual([
      '1 source.canceled',
      '2 source.completed',
    ]);
  });
});
