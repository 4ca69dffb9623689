/**
 * The Temporal operations of a CONTENT run in November 2026: two regular and two local activities, two upserts of
 * search attributes, 21 events. It imports nothing of the service and must not change: it is a fixed reference.
 */
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  upsertSearchAttributes,
} from '@temporalio/workflow';

export interface FixedRef {
  sourceId: string;
  generation: number;
}

/** The activities do nothing. Arguments and results have the size of the service's in November 2026. */
export interface FixedActivities {
  begin(ref: FixedRef): Promise<{ plan: null; newest: number; owed: string[] }>;
  extractContext(ref: FixedRef): Promise<void>;
  extractArtifacts(ref: FixedRef): Promise<void>;
  finish(ref: FixedRef): Promise<{ status: string; generation: number; owed: string[] }>;
}

const local = proxyLocalActivities<FixedActivities>({
  startToCloseTimeout: '3s',
  scheduleToCloseTimeout: '5s',
  retry: { initialInterval: '100ms', maximumAttempts: 3 },
});

const pipeline = {
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  heartbeatTimeout: '10s',
  startToCloseTimeout: '15m',
  retry: { initialInterval: '1s', maximumAttempts: 5 },
} as const;
const { extractContext } = proxyActivities<FixedActivities>({ ...pipeline, summary: 'Extract the context' });
const { extractArtifacts } = proxyActivities<FixedActivities>({ ...pipeline, summary: 'Extract the artifacts' });

const statusKey = defineSearchAttributeKey('SourceStatus', 'KEYWORD');
const generationKey = defineSearchAttributeKey('Generation', 'INT');

function showStatus(status: string, generation: number): void {
  upsertSearchAttributes([
    { key: statusKey, value: status },
    { key: generationKey, value: generation },
  ]);
}

export async function fixed(ref: FixedRef): Promise<void> {
  await local.begin(ref);
  showStatus('PROCESSING', ref.generation);
  await extractContext(ref);
  await extractArtifacts(ref);
  await local.finish(ref);
  showStatus('COMPLETED', ref.generation);
}
