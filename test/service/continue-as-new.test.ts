/** A run that stays open for days, since a receiver is unreachable, continues as new before its history is long. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { deliveries } from '../support/client.ts';
import { sourceWithOpenDelivery } from '../support/open-delivery.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** Events after which Temporal suggests continue-as-new; in place of 4,096, so that ten requests suffice. */
const SUGGESTED_EVENTS = 80;
/** A generation in progress goes to its end: 24 events with a signal and its first task. */
const GENERATION_EVENTS = 30;

let service: PrivateService;
beforeAll(async () => {
  const temporalConfig = { 'limit.historyCount.suggestContinueAsNew': SUGGESTED_EVENTS };
  service = await startPrivateService({ own: ['temporal'], temporalConfig });
  await service.startWorker();
});
afterAll(() => service?.stop());

/** Event counts of the runs of a source, newest first, along the chain of continue-as-new. */
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
  expect(Math.max(...lengths)).toBeLessThan(SUGGESTED_EVENTS + GENERATION_EVENTS);
  const [open] = (await deliveries(user, id)).filter(({ state }) => state === 'pending');
  expect(open).toMatchObject({ generation: 2, attempts: [{ statusCode: 503 }] });
  // The newest run has its activity, in back-off.
  await until('it is delivered by the newest run', async () => {
    const { raw, status } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
    return status.name === 'RUNNING' && raw.pendingActivities?.length === 1;
  });
}

test('a run continues as new before 110 events while its source is reprocessed 12 times', async () => {
  const user = await service.newUser();
  const { id } = await sourceWithOpenDelivery(user);
  for (let generation = 3; generation <= 14; generation += 1) {
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    await user.reach(id, 'COMPLETED');
  }
  expect(await user.get(id)).toMatchObject({ generation: 14, resultGeneration: 14 });
  await expectShortRunsAndOneOpenDelivery(user, id);
});

test('a run continues as new before 110 events while a postback of its source is redelivered 20 times', async () => {
  const user = await service.newUser();
  const { id, redeliver } = await sourceWithOpenDelivery(user);
  for (let n = 0; n < 20; n += 1) await redeliver();
  await expectShortRunsAndOneOpenDelivery(user, id);
});
