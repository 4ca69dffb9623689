/**
 * Part of `npm run histories`: disturbs runs and writes their histories to test/histories/chaos.
 * test/workflows/replay-chaos.test.ts replays them.
 */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, script, settledDeliveries, sitePath } from './client.ts';
import { keepHistory } from './keep-history.ts';
import { startPrivateService } from './private-service.ts';
import { awaitBlocked, blockedIn, blockStages, unblockStages } from './refused-stage.ts';
import { resetRun } from './reset-run.ts';
import { closedRun } from './temporal.ts';
import { until } from './until.ts';

const folder = new URL('../histories/chaos/', import.meta.url);
const REPAIR_MS = 60_000;
const settings = { RECONCILER_SWEEP_SECONDS: '0.5', RECONCILER_GRACE_SECONDS: '1' };
const service = await startPrivateService({ settings });
await blockStages(service.database);
const user = await service.newUser();
let worker = await service.startWorker();
afterAll(() => service.stop());

const instructions = async () => ({ postback_url: await script(sitePath('receiver'), [{ status: 200 }]) });

/** Creates a URI source and waits until its fetch is in progress. */
async function fetching(): Promise<string> {
  const path = sitePath('page');
  const data = await script(path, [{ hang: true }, { body: '<p>The words of the page.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions: await instructions() });
  await until('the page is asked for', async () => (await received(path)).length === 1);
  return id;
}

/** Each returns the id of the source whose newest run is recorded. */
const scenarios: Record<string, () => Promise<string>> = {
  'reset-in-the-middle': async () => {
    const id = await fetching();
    await resetRun(service.temporal, id);
    return id;
  },

  'reset-after-its-end': async () => {
    const { id } = await user.content('# Words\n\nSome words.', await instructions());
    await settledDeliveries(user, id);
    await closedRun(service.temporal, id);
    await resetRun(service.temporal, id);
    return id;
  },

  'repaired-after-termination': async () => {
    const id = await fetching();
    await service.temporal.workflow.getHandle(sourceWorkflowId(id)).terminate('test');
    await user.reach(id, 'COMPLETED', REPAIR_MS);
    return id;
  },

  'worker-killed': async () => {
    const id = await fetching();
    await worker.kill();
    worker = await service.startWorker();
    return id;
  },

  'end-refused-for-a-while': async () => {
    const data = '# Words\n\nSome words.';
    const type = 'CONTENT';
    const { id } = await user.create({
      type,
      name: blockedIn('finish'),
      initial_data: { data },
      instructions: await instructions(),
    });
    await awaitBlocked(service.temporal, id, 'finish');
    await unblockStages(service.database);
    return id;
  },
};

test.each(Object.entries(scenarios))(
  '%s',
  async (name, runScenario) => {
    const sourceId = await runScenario();
    await closedRun(service.temporal, sourceId, REPAIR_MS);
    await keepHistory(service.temporal, { workflowId: sourceWorkflowId(sourceId) }, folder, name);
  },
  120_000,
);
