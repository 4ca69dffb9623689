/** Activity proxies of the workflows, with their time-outs, retry policies and summaries. */
import {
  ActivityCancellationType,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { ExtractionPlan } from '../activities/extract-content.ts';
import type { createActivities } from '../activities/index.ts';
import type { ArtifactRound, GenerationRef } from '../contract/commands.ts';
import type { ArtifactError, GenerationEnd } from '../contract/resources.ts';
import { HEARTBEAT_TIMEOUT, waiting } from './waiting.ts';

type Activities = ReturnType<typeof createActivities>;

/**
 * No maximum of attempts: activities count their tries themselves, since attempts that failed by the database or the
 * storage, or got no owner slot, do not count.
 */
const EXPONENTIAL_BACKOFF = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/**
 * On a cancel the run does not wait for the activity to stop. The activity is notified by the database, or by the
 * response to its next heartbeat at the latest.
 */
const pipeline = {
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
} as const;

export const { fetchContent } = proxyActivities<Activities>({
  ...pipeline,
  ...waiting,
  startToCloseTimeout: '5m',
  retry: EXPONENTIAL_BACKOFF,
  summary: 'Fetch the content',
});

/** Fails with the delay to the next check until every member has ended: waiting takes no slot and adds no history. */
export const { awaitMembers } = proxyActivities<Activities>({
  ...pipeline,
  ...waiting,
  startToCloseTimeout: '30s',
  retry: { maximumInterval: '10s' },
  summary: 'Wait for the members',
});

export const { joinMembers } = proxyActivities<Activities>({
  ...pipeline,
  ...waiting,
  startToCloseTimeout: '5m',
  retry: EXPONENTIAL_BACKOFF,
  summary: 'Join the members',
});

const extraction = proxyActivities<Activities>({
  ...pipeline,
  startToCloseTimeout: '15m',
  retry: EXPONENTIAL_BACKOFF,
  summary: 'Extract context and artifacts',
});

const extractionInTask = proxyLocalActivities<Activities>({
  startToCloseTimeout: '3s',
  retry: { maximumAttempts: 1 },
});

/** History events when the first workflow task of a run begins: the start, a signal with it, and the task's own two. */
const EVENTS_BEFORE_FIRST_TASK = 4;

/**
 * Extracts a short text within the run's first workflow task, which halves the time of its run. A worker without room
 * refuses that. The activity is then a regular one, as for everything longer, and as after a workflow task that was
 * lost: its tries are counted.
 */
export async function extractContent(ref: GenerationRef, stages: ExtractionPlan, isShortText: boolean): Promise<void> {
  if (isShortText && workflowInfo().historyLength <= EVENTS_BEFORE_FIRST_TASK) {
    try {
      return await extractionInTask.extractContent(ref, stages);
    } catch (error) {
      if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
    }
  }
  await extraction.extractContent(ref, stages);
}

/** One delivery attempt per activity attempt; the failure carries the delay to the next, from the postback's row. */
export const { deliverPostback } = proxyActivities<Activities>({
  ...waiting,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  startToCloseTimeout: '30s',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'Deliver the postback',
});

/** A round of an artifact. After an unexpected failure, `failArtifact` ends the round. */
export const { enrichArtifact } = proxyActivities<Activities>({
  ...pipeline,
  ...waiting,
  startToCloseTimeout: '2m',
  retry: EXPONENTIAL_BACKOFF,
  summary: 'Enrich the artifact',
});

/** Retried without a limit: an accepted ticket must be sent, however long the mail server is away. */
export const { sendTicket } = proxyActivities<Activities>({
  ...waiting,
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10m' },
  summary: 'Hand the ticket to the mail server',
});

const local = proxyLocalActivities<Activities>({
  startToCloseTimeout: '3s',
  scheduleToCloseTimeout: '5s',
  retry: { initialInterval: '100ms', maximumAttempts: 3 },
});

const regular = proxyActivities<Activities>({
  ...waiting,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumInterval: '15s' },
  summary: 'Write to the database (retried until it is available)',
});

/**
 * Short writes are local activities, which halve the cost of a run. While the database is unavailable they are regular
 * activities, which retry without a limit and without adding history.
 */
async function persist<Result>(write: (activities: typeof local | typeof regular) => Promise<Result>): Promise<Result> {
  try {
    return await write(local);
  } catch (error) {
    // A local activity rejects with the failure itself, not wrapped in an ActivityFailure.
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
    return write(regular);
  }
}

export const beginGeneration = (ref: GenerationRef) => persist((to) => to.beginGeneration(ref));
export const finishGeneration = (ref: GenerationRef, ending: GenerationEnd | null) =>
  persist((to) => to.finishGeneration(ref, ending));
export const listOwedPostbacks = (sourceId: string) => persist((to) => to.listOwedPostbacks(sourceId));
export const stopDeliveries = (sourceId: string, reason: string) =>
  persist((to) => to.stopDeliveries(sourceId, reason));
export const failArtifact = (ref: ArtifactRound, error: ArtifactError) => persist((to) => to.failArtifact(ref, error));
