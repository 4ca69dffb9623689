/** Writes that a failover or restore of PostgreSQL lost during a run. */
import { openDatabase } from '../../db/orm.ts';
import { newUser, received, release, script, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { stack } from '../support/stack.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const client = temporal();
const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 2);
afterAll(() => database.close());

/** Creates a source whose page is held, then 503, and 200 on the second request. */
async function fetching() {
  const page = sitePath('page');
  const data = await script(page, [{ held: true, status: 503 }, { body: '<p>The text of the page.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data } });
  await until('the page is requested', async () => (await received(page)).length === 1);
  return { id, page };
}

test.concurrent('a generation whose begin was lost is begun again and completes without a recovery', async () => {
  const { id, page } = await fetching();
  await database.pool.query(
    `with begun as (
       update source_generations set started_at = null, stage = null, stage_times = '{}' where source_id = $1
     )
     update sources set status = 'PENDING' where id = $1`,
    [id],
  );
  await release(page);
  expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 1, resultGeneration: 1 });
  expect(await generationsOf(database, id)).toMatchObject([{ trigger: 'create', outcome: 'COMPLETED', cause: null }]);
  expect(await user.markdown(id)).toContain('The text of the page.');
  expect(await received(page)).toHaveLength(2);
});

test.concurrent('the run of a source whose row was lost completes without another fetch', async () => {
  const { id, page } = await fetching();
  await database.pool.query('delete from sources where id = $1', [id]);
  await release(page);
  expect((await closedRun(client, id)).status.name).toBe('COMPLETED');
  // No second fetch.
  expect(await received(page)).toHaveLength(1);
});
