/** A failover of PostgreSQL loses the progress of a run: the run repeats the lost work, and no source fails. */
import { received, script, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { awaitBlocked, blockedIn, blockStages, unblockStages } from '../support/refused-stage.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService();
  await service.startWorker();
});
afterAll(() => service?.stop());

const lostBySource = `update source_generations set content_key = null, content_type = null, content_size = null,
  content_url = null, content_generation = null, content_etag = null, content_last_modified = null, content_hash = null
  where source_id = $1`;

const once = { generation: 1, trigger: 'create', outcome: 'COMPLETED', repairs: 0, cause: null };

test('stored content that a failover loses is fetched again, in the same generation', async () => {
  await blockStages(service.database);
  const user = await service.newUser();
  const page = sitePath('page');
  const data = await script(page, [{ body: '<p>The words of the page.</p>' }]);
  const source = await user.create({ type: 'URI', name: blockedIn('context'), initial_data: { data } });
  await awaitBlocked(service.temporal, source.id, 'context');
  await service.database.pool.query(lostBySource, [source.id]);
  await unblockStages(service.database);
  await user.reach(source.id, 'COMPLETED', 60_000);
  expect(await received(page)).toHaveLength(2);
  expect(await generationsOf(service.database, source.id)).toEqual([once]);
});

test('a refresh whose new content a failover loses fetches again, and extracts nothing from the old content', async () => {
  await blockStages(service.database, 2);
  const user = await service.newUser();
  const data = await script(sitePath('page'), [{ body: '<p>The old words.</p>' }, { body: '<p>The new words.</p>' }]);
  const source = await user.create({ type: 'URI', name: blockedIn('context'), initial_data: { data } });
  await user.reach(source.id, 'COMPLETED', 60_000);
  await user.call('POST', `/v1/sources/${source.id}/refresh`, {});
  await awaitBlocked(service.temporal, source.id, 'context');
  // As the row was before the fetch, with the content of the previous generation.
  await service.database.pool.query(
    `update source_generations g set content_key = o.content_key, content_generation = o.content_generation,
       content_etag = o.content_etag, content_last_modified = o.content_last_modified, content_hash = o.content_hash
     from source_generations o where g.source_id = $1 and g.generation = 2 and o.source_id = $1 and o.generation = 1`,
    [source.id],
  );
  await unblockStages(service.database);
  await user.reach(source.id, 'COMPLETED', 60_000);
  expect(await user.markdown(source.id)).toContain('The new words.');
  expect((await generationsOf(service.database, source.id)).map(({ trigger }) => trigger)).toEqual([
    'create',
    'refresh',
  ]);
});

test('a context that a failover loses before the end is extracted again, in the same generation', async () => {
  await blockStages(service.database);
  const user = await service.newUser();
  const source = await user.create({
    type: 'CONTENT',
    name: blockedIn('finish'),
    initial_data: { data: '# Words\n\nSome words.' },
  });
  await awaitBlocked(service.temporal, source.id, 'finish');
  const lost = `update source_generations set context = null, context_key = null, markdown_key = null,
    context_generation = null where source_id = $1`;
  await service.database.pool.query(lost, [source.id]);
  await unblockStages(service.database);
  await user.reach(source.id, 'COMPLETED', 60_000);
  expect(await generationsOf(service.database, source.id)).toEqual([once]);
  expect((await user.get(source.id)).contextGeneration).toBe(1);
});

test('a composition waits again for a member whose end a failover loses', async () => {
  await blockStages(service.database);
  const user = await service.newUser();
  const member = await user.content('The words of the member.');
  await user.reach(member.id, 'COMPLETED', 60_000);
  const composition = await user.create({
    type: 'COMPOSITION',
    name: blockedIn('fetch'),
    initial_data: { data: [member.id] },
  });
  await awaitBlocked(service.temporal, composition.id, 'fetch', 'joinMembers');
  // As the rows were before the end; the reconciler finds the member's run closed.
  await service.database.pool.query(
    `with lost as (update source_generations set outcome = null, finished_at = null where source_id = $1)
     update sources set status = 'PROCESSING', result_generation_id = null where id = $1`,
    [member.id],
  );
  await unblockStages(service.database);
  await user.reach(composition.id, 'COMPLETED', 60_000);
  expect(await user.markdown(composition.id)).toContain('The words of the member.');
  expect(await generationsOf(service.database, composition.id)).toEqual([once]);
});
