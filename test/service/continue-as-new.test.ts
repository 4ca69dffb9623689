/** A run that stays open for days, since a receiver is away, keeps its history short: it goes on in a new run in time. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { deliveries } from '../support/client.ts';
import { sourceWithOpenDelivery } from '../support/open-delivery.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** In place of Temporal's 4,096, so that ten requests do what hundreds would. */
const LONG = 80;
/** A generation that was begun goes to its end: with a signal and its first task it has 24 events. */
const GENERATION = 30;

let service: PrivateService;
beforeAll(async () => {
  const temporalConfig = { 'limit.historyCount.suggestContinueAsNew': LONG };
  service = await startPrivateService({ own: ['temporal'], temporalConfig });
  await service.startWorker();
});
afterAll(() => service?.stop());

/** The lengths of the runs of a source, the newest first, by the chain that continue-as-new makes. */
async function lengthsOf(id: string): Promise<number[]> {
  const lengths: number[] = [];
  const workflowId = sourceWorkflowId(id);
  for (
    let runId: string | null | undefined = (await service.temporal.workflow.getHandle(workflowId).describe()).runId;
    runId;
  ) {
    const { events } = await service.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    lengths.push(events?.length ?? 0);
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  }
  return lengths;
}

async function expectShortRunsAndOneOpenDelivery(user: Parameters<typeof deliveries>[0], id: string): Promise<void> {
  const lengths = await lengthsOf(id);
  expect(lengths.length).toBeGreaterThan(2);
  expect(Math.max(...lengths)).toBeLessThan(LONG + GENERATION);
  const [open] = (await deliveries(user, id)).filter(({ state }) => state === 'pending');
  expect(open).toMatchObject({ generation: 2, attempts: [{ statusCode: 503 }] });
  // The newest run has it under way, in its back-off.
  await until('it is delivered by the newest run', async () => {
    const { raw, status } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return status.name === 'RUNNING' && raw.pendingActivities?.length === 1;
  });
}

test('a run goes on in a new one while its source is reprocessed again and again', async () => {
  const user = await service.newUser();
  const { id } = await sourceWithOpenDelivery(user);
  for (let generation = 3; generation <= 14; generation += 1) {
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    await user.reach(id, 'COMPLETED');
  }
  expect(await user.get(id)).toMatchObject({ generation: 14, resultGeneration: 14 });
  await expectShortRunsAndOneOpenDelivery(user, id);
});

test('a run goes on in a new one while postbacks of its source are delivered again and again', async () => {
  const user = await service.newUser();
  const { id, redeliver } = await sourceWithOpenDelivery(user);
  for (let n = 0; n < 20; n += 1) await redeliver();
  await expectShortRunsAndOneOpenDelivery(user, id);
});
