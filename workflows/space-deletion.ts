/** The run of a space's deletion: cancels what runs in it, unless the space is restored meanwhile. */
import { proxyActivities } from '@temporalio/workflow';
import type { createActivities } from '../activities/index.ts';
import type { SpaceDeletion } from '../contract/commands.ts';
import { HEARTBEAT_TIMEOUT, waiting } from './waiting.ts';

const { cancelSources } = proxyActivities<ReturnType<typeof createActivities>>({
  ...waiting,
  // 100,000 sources in a space take some minutes; a try that ends there goes on with what is left.
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'Cancel what runs in the space',
});

export async function spaceDeletion(deletion: SpaceDeletion): Promise<void> {
  await cancelSources(deletion);
}
