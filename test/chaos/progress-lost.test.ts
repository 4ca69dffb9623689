/** A failover of PostgreSQL lost what a run had stored: the run does the generation again, and no source fails. */
import { received, script, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { allowStages, heldIn, holdsIn, refuseStages } from '../support/refused-stage.ts';

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

test('content that a failover lost after it was stored is fetched again, in the same generation', async () => {
  await refuseStages(service.database);
  const user = await service.newUser();
  const page = sitePath('page');
  const data = await script(page, [{ body: '<p>The words of the page.</p>' }]);
  const source = await user.create({ type: 'URI', name: heldIn('context'), initial_data: { data } });
  await holdsIn(service.temporal, source.id, 'context');
  await service.database.pool.query(lostBySource, [source.id]);
  await allowStages(service.database);
  await user.reach(source.id, 'COMPLETED', 60_000);
  expect(await received(page)).toHaveLength(2);
  expect(await generationsOf(service.database, source.id)).toEqual([once]);
});

test('a refresh whose new content a failover lost fetches again, and extracts nothing from the old content', async () => {
  await refuseStages(service.database, 2);
  const user = await service.newUser();
  const data = await script(sitePath('page'), [{ body: '<p>The old words.</p>' }, { body: '<p>The new words.</p>' }]);
  const source = await user.create({ type: 'URI', name: heldIn('context'), initial_data: { data } });
  await user.reach(source.id, 'COMPLETED', 60_000);
  await user.call('POST', `/v1/sources/${source.id}/refresh`, {});
  await holdsIn(service.temporal, source.id, 'context');
  // As the row was before the fetch: with what it took over from the generation before.
  await service.database.pool.query(
    `update source_generations g set content_key = o.content_key, content_generation = o.content_generation,
       content_etag = o.content_etag, content_last_modified = o.content_last_modified, content_hash = o.content_hash
     from source_generations o where g.source_id = $1 and g.generation = 2 and o.source_id = $1 and o.generation = 1`,
    [source.id],
  );
  await allowStages(service.database);
  await user.reach(source.id, 'COMPLETED', 60_000);
  expect(await user.markdown(source.id)).toContain('The new words.');
  expect((await generationsOf(service.database, source.id)).map(({ trigger }) => trigger)).toEqual([
    'create',
    'refresh',
  ]);
});

test('a context that a failover lost before the end is extracted again, in the same generation', async () => {
  await refuseStages(service.database);
  const user = await service.newUser();
  const source = await user.create({
    type: 'CONTENT',
    name: heldIn('finish'),
    initial_data: { data: '# Words\n\nSome words.' },
  });
  await holdsIn(service.temporal, source.id, 'finish');
  const lost = `update source_generations set context = null, context_key = null, markdown_key = null,
    context_generation = null where source_id = $1`;
  await service.database.pool.query(lost, [source.id]);
  await allowStages(service.database);
  await user.reach(source.id, 'COMPLETED', 60_000);
  expect(await generationsOf(service.database, source.id)).toEqual([once]);
  expect((await user.get(source.id)).contextGeneration).toBe(1);
});

test('a member whose end a failover lost is waited for again', async () => {
  await refuseStages(service.database);
  const user = await service.newUser();
  const member = await user.content('The words of the member.');
  await user.reach(member.id, 'COMPLETED', 60_000);
  const composition = await user.create({
    type: 'COMPOSITION',
    name: heldIn('fetch'),
    initial_data: { data: [member.id] },
  });
  await holdsIn(service.temporal, composition.id, 'fetch', 'joinMembers');
  // As the rows were before the end; the reconciler finds that the member's run is over.
  await service.database.pool.query(
    `with lost as (update source_generations set outcome = null, finished_at = null where source_id = $1)
     update sources set status = 'PROCESSING', result_generation_id = null where id = $1`,
    [member.id],
  );
  await allowStages(service.database);
  await user.reach(composition.id, 'COMPLETED', 60_000);
  expect(await user.markdown(composition.id)).toContain('The words of the member.');
  expect(await generationsOf(service.database, composition.id)).toEqual([once]);
});
