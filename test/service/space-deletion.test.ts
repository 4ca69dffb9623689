/** Deletion of a space cancels its running sources, in a separate run that a restore stops. */
import { transaction } from '../../db/sql.ts';
import { cancelNextSources } from '../../db/transitions/spaces/cancel-in-deleted-space.ts';
import { newUser, received, script, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const restore = (user: TestUser) => user.call('POST', `/v1/spaces/${user.spaceId}/restore`);
const remove = async (user: TestUser) =>
  expect((await user.call('DELETE', `/v1/spaces/${user.spaceId}`)).status).toBe(204);

/** A URI source whose page never responds, so that it runs until it is canceled. */
async function hanging(user: TestUser) {
  const [page, postback] = [sitePath('hanging'), sitePath('postback')];
  const { id } = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ hang: true }]) },
    instructions: { postback_url: await script(postback, [{ status: 204 }]) },
  });
  const types = async () => (await received(postback)).map(({ body }) => JSON.parse(body).type);
  return { id, page, types };
}

test('running sources are canceled with a postback each, and stay CANCELED after a restore', async () => {
  const user = await newUser();
  const [one, two, done] = await Promise.all([hanging(user), hanging(user), user.content('Done before.')]);
  await user.reach(done.id, 'COMPLETED');
  for (const { page } of [one, two]) await until('it runs', async () => (await received(page)).length === 1);
  await remove(user);
  for (const { page, types } of [one, two]) {
    await until('its postback has arrived', async () => (await types()).length === 1);
    expect(await types()).toEqual(['source.canceled']);
    await until('its request is aborted', async () => (await received(page))[0]?.aborted);
  }
  expect((await restore(user)).status).toBe(200);
  const statuses = await Promise.all([one, two, done].map(async ({ id }) => (await user.get(id)).status));
  expect(statuses).toEqual(['CANCELED', 'CANCELED', 'COMPLETED']);
  // The restored space works again.
  expect((await user.call('POST', `/v1/sources/${done.id}/reprocess`)).status).toBe(202);
  await user.reach(done.id, 'COMPLETED');
});

describe('with a dispatcher and a worker that start later', () => {
  let service: PrivateService;
  beforeAll(async () => {
    service = await startPrivateService({
      settings: { API_RUNS_DISPATCHER: 'false', RECONCILER_SWEEP_SECONDS: '0.5', RECONCILER_GRACE_SECONDS: '1' },
    });
  });
  afterAll(() => service?.stop());

  test('batches cancel each open source once, in the order of ids, until a restore ends the deletion', async () => {
    const user = await service.newUser();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await user.content(`${n}`)).id);
    const { pool } = service.database;
    await user.call('POST', `/v1/sources/${ids[1]}/cancel`);
    await remove(user);
    const { rows } = await pool.query('select deletion_id from spaces where id = $1', [user.spaceId]);
    const deletion = { spaceId: user.spaceId, deletionId: rows[0].deletion_id };
    const next = (after: string | null, of = deletion) =>
      transaction(service.database, (session) => cancelNextSources(session, service.apiUrl, of, after, 2));
    expect(await next(null)).toEqual([ids[0], ids[2]]);
    expect(await next(ids[2] ?? null)).toEqual([ids[3], ids[4]]);
    expect(await next(null)).toEqual([]);

    // The run of one deletion does not act for another deletion of the same space.
    await restore(user);
    const late = await user.content('late');
    await remove(user);
    expect(await next(null)).toBeNull();
    await restore(user);
    expect((await user.get(late.id)).status).toBe('CREATED');
  });

  test('a restore stops it, a late source is CANCELED by its own run, and a lost run is started again', async () => {
    const [restored, raced, lost] = [await service.newUser(), await service.newUser(), await service.newUser()];
    const kept = await restored.content('Kept.');
    await remove(restored);
    await restore(restored);

    // A create that the deletion did not see: no command cancels it.
    const late = await raced.content('Never to be read.');
    await remove(raced);
    await service.database.pool.query('delete from outbox where space_id = $1', [raced.spaceId]);

    const open = await lost.content('Open.');
    await remove(lost);
    await service.database.pool.query('delete from outbox where space_id = $1 or source_id = $2', [
      lost.spaceId,
      open.id,
    ]);

    const dispatcher = await service.startDispatcher();
    await service.startWorker();
    await restored.reach(kept.id, 'COMPLETED');
    const status = async (id: string) =>
      (await service.database.pool.query('select status, generation from sources where id = $1', [id])).rows[0];
    for (const id of [late.id, open.id]) {
      await until(`${id} is canceled`, async () => (await status(id)).status === 'CANCELED');
    }
    expect((await status(late.id)).generation).toBe(1);
    await restore(raced);
    expect(await raced.get(late.id)).toMatchObject({ status: 'CANCELED', startedAt: null, resultGeneration: null });
    expect(await (await fetch(`${dispatcher.url}/metrics`)).text()).toMatch(/reconciler_repairs_total\{action="/);
  });
});
