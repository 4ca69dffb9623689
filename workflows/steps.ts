/** The activities of a run, with the time-outs, retries and summaries that belong to each. */
import {
  ActivityCancellationType,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
} from '@temporalio/workflow';
import type { createActivities } from '../activities/index.ts';
import type { ArtifactRound, GenerationRef } from '../contract/commands.ts';
import type { ArtifactError, GenerationEnd } from '../contract/resources.ts';
import { HEARTBEAT_TIMEOUT, waiting } from './waiting.ts';

type Activities = ReturnType<typeof createActivities>;

/**
 * Without a number of attempts: an activity counts its tries itself, since those that met trouble of the database or the
 * storage, or found no turn for their owner, do not count.
 */
const GROWING_PAUSE = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/**
 * What stops at once in the run when it is canceled; the activity itself stops when it hears of that from the database,
 * at its next heartbeat at the latest.
 */
const pipeline = {
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
} as const;

export const { fetchContent } = proxyActivities<Activities>({
  ...pipeline,
  ...waiting,
  startToCloseTimeout: '5m',
  retry: GROWING_PAUSE,
  summary: 'Fetch the content',
});

/** Fails until every member has ended, with the delay to the next look: it holds no slot and adds no history. */
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
  retry: GROWING_PAUSE,
  summary: 'Join the members',
});

export const { extractContent } = proxyActivities<Activities>({
  ...pipeline,
  startToCloseTimeout: '15m',
  retry: GROWING_PAUSE,
  summary: 'Extract context and artifacts',
});

/** One attempt each time it is tried; the delay to the next comes from the postback's own row. */
export const { deliverPostback } = proxyActivities<Activities>({
  ...waiting,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  startToCloseTimeout: '30s',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'Deliver the postback',
});

/** The whole round of an artifact but a failure's end. */
export const { enrichArtifact } = proxyActivities<Activities>({
  ...pipeline,
  ...waiting,
  startToCloseTimeout: '2m',
  retry: GROWING_PAUSE,
  summary: 'Enrich the artifact',
});

/** Without an end: a ticket that was accepted is owed, however long the mail server is away. */
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

const patient = proxyActivities<Activities>({
  ...waiting,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumInterval: '15s' },
  summary: 'Write to the database (tried again until it is there)',
});

/**
 * Short writes go as local activities, which halve the cost of a run. When the database is away they go on as
 * regular ones: those wait in their back-off without an end, and without adding history.
 */
async function persist<Result>(write: (activities: typeof local | typeof patient) => Promise<Result>): Promise<Result> {
  try {
    return await write(local);
  } catch (error) {
    // Of a local activity the failure itself arrives, without the ActivityFailure that a regular one wraps it in.
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
    return write(patient);
  }
}

export const beginGeneration = (ref: GenerationRef) => persist((to) => to.beginGeneration(ref));
export const finishGeneration = (ref: GenerationRef, ending: GenerationEnd | null) =>
  persist((to) => to.finishGeneration(ref, ending));
export const listOwedPostbacks = (sourceId: string) => persist((to) => to.listOwedPostbacks(sourceId));
export const stopDeliveries = (sourceId: string, reason: string) =>
  persist((to) => to.stopDeliveries(sourceId, reason));
export const failArtifact = (ref: ArtifactRound, error: ArtifactError) => persist((to) => to.failArtifact(ref, error));
