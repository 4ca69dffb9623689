/** The workflow of a space's deletion: cancels the open generations in it, unless the space is restored meanwhile. */
import { proxyActivities } from '@temporalio/workflow';
import type { createActivities } from '../activities/index.ts';
import type { SpaceDeletion } from '../contract/commands.ts';
import { HEARTBEAT_TIMEOUT, waiting } from './waiting.ts';

const { cancelSources } = proxyActivities<ReturnType<typeof createActivities>>({
  ...waiting,
  // 100,000 sources in a space take some minutes; the attempt after a time-out continues with the remaining ones.
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'Cancel open generations in the space',
});

export async function spaceDeletion(deletion: SpaceDeletion): Promise<void> {
  await cancelSources(deletion);
}
