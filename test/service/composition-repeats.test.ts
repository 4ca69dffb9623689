/** A composition whose steps are tried again: its looks leave no trace, and it knows which results it has joined. */

import { sourceWorkflowId } from '../../contract/commands.ts';
import { beginGeneration } from '../../db/transitions/generations/begin-generation.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { received, script, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { allowStages, heldIn, holdsIn, refuseStages } from '../support/refused-stage.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
let worker: ServicePart;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService();
  worker = await service.startWorker();
  user = await service.newUser();
});
afterAll(() => service?.stop());

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;
const compose = (data: string[], name?: string) =>
  user.create({ type: 'COMPOSITION', initial_data: { data }, ...(name === undefined ? {} : { name }) });
async function text(): Promise<string> {
  const { id } = await user.content('The text of the member.');
  await user.reach(id, 'COMPLETED');
  return id;
}

test('one that waits keeps its revision from look to look, and its looks are no failed stages', async () => {
  const path = sitePath('hanging');
  const { id: slow } = await user.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('the page is asked for', async () => (await received(path)).length === 1);
  const { id } = await compose([slow]);
  const looks = async () => {
    const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return raw.pendingActivities?.[0]?.attempt ?? 0;
  };
  await until('it has looked once', async () => (await looks()) >= 2);
  const row = async () =>
    (
      await query(
        `select s.revision, s.updated_at, s.xmin::text as source_version, g.xmin::text as generation_version, g.stage_times
         from sources s join source_generations g on g.source_id = s.id where s.id = $1`,
        [id],
      )
    )[0];
  const before = await row();
  expect(before.stage_times).toMatchObject({ wait: expect.any(String) });
  await until('it has looked three times more', async () => (await looks()) >= 5, 40_000);
  // Apart from the reconciler, which notes on the row that it has looked.
  const { source_version: _, ...shown } = await row();
  expect(before).toMatchObject(shown);
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  const waits = metrics.split('\n').filter((line) => line.startsWith('stage_duration_seconds_count{stage="wait"'));
  expect(waits).toEqual([expect.stringMatching(/outcome="waiting"\} [4-9]/)]);
  for (const one of [id, slow]) await user.call('POST', `/v1/sources/${one}/cancel`);
}, 90_000);

test('one that was begun again after its join is stale once a member has a newer result', async () => {
  const member = await text();
  await refuseStages(service.database);
  const { id } = await compose([member], heldIn('context'));
  await holdsIn(service.temporal, id, 'context');
  expect(await beginGeneration(service.database.pool, { sourceId: id, generation: 1 })).not.toBeNull();
  await allowStages(service.database);
  expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1, stale: false });
  await user.call('POST', `/v1/sources/${member}/reprocess`);
  await until('the member has a newer result', async () => (await user.get(member)).resultGeneration === 2);
  expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', stale: true });
}, 120_000);

test('one whose member has lost its Markdown ends FAILED content_lost', async () => {
  const member = await text();
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  const [{ key }] = await query('select markdown_key as key from source_generations where source_id = $1', [member]);
  await storage.deleteKeys([key]);
  storage.close();
  const { id } = await compose([member]);
  expect(await user.reach(id, 'FAILED')).toMatchObject({ error: { code: 'content_lost', stage: 'fetch' } });
});
