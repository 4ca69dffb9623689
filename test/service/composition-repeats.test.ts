/** A composition whose stages are repeated: its checks write nothing, and it records the joined results. */

import { sourceWorkflowId } from '../../contract/commands.ts';
import { beginGeneration } from '../../db/transitions/generations/begin-generation.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { received, script, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { awaitBlocked, blockedIn, blockStages, unblockStages } from '../support/refused-stage.ts';
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

test('repeated checks of a waiting composition keep its revision and do not count as failed stages', async () => {
  const path = sitePath('hanging');
  const { id: slow } = await user.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  const { id } = await compose([slow]);
  const checks = async () => {
    const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return raw.pendingActivities?.[0]?.attempt ?? 0;
  };
  await until('it has checked once', async () => (await checks()) >= 2);
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
  await until('it has checked three more times', async () => (await checks()) >= 5, 40_000);
  // Except for the reconciler, which writes checked_at.
  const { source_version: _, ...shown } = await row();
  expect(before).toMatchObject(shown);
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  const waits = metrics.split('\n').filter((line) => line.startsWith('stage_duration_seconds_count{stage="wait"'));
  expect(waits).toEqual([expect.stringMatching(/outcome="waiting"\} [4-9]/)]);
  for (const one of [id, slow]) await user.call('POST', `/v1/sources/${one}/cancel`);
}, 90_000);

test('a composition whose begin is repeated after its join is stale once a member has a newer result', async () => {
  const member = await text();
  await blockStages(service.database);
  const { id } = await compose([member], blockedIn('context'));
  await awaitBlocked(service.temporal, id, 'context');
  expect(await beginGeneration(service.database.pool, { sourceId: id, generation: 1 })).not.toBeNull();
  await unblockStages(service.database);
  expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1, stale: false });
  await user.call('POST', `/v1/sources/${member}/reprocess`);
  await until('the member has a newer result', async () => (await user.get(member)).resultGeneration === 2);
  expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', stale: true });
}, 120_000);

test('a composition whose member has lost its Markdown ends FAILED with content_lost', async () => {
  const member = await text();
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  const [{ key }] = await query('select markdown_key as key from source_generations where source_id = $1', [member]);
  await storage.deleteKeys([key]);
  storage.close();
  const { id } = await compose([member]);
  expect(await user.reach(id, 'FAILED')).toMatchObject({ error: { code: 'content_lost', stage: 'fetch' } });
});
