/**
 * Names shared by the outbox, the dispatcher and the workflows. The work to do is described by rows of the database; a
 * command only refers to them, so that repeated and reordered commands are harmless.
 */

/** `start` starts the first run of a new source; the others are signals to the run of a source. */
export const sourceCommands = ['start', 'cancel', 'reprocess', 'refresh', 'deliver'] as const;
export type SourceCommand = (typeof sourceCommands)[number];

/** All commands of the outbox. */
export const commands = [...sourceCommands, 'process', 'send', 'cancel_sources', 'purge'] as const;
export type Command = (typeof commands)[number];

/** The workflow type of a source's run, and its workflow id. */
export const sourceWorkflow = 'source';
export function sourceWorkflowId(sourceId: string): string {
  return `source-${sourceId}`;
}

/** Activity types that the reconciler looks for among the pending activities of a source's run. */
export const sourceActivities = {
  begin: 'beginGeneration',
  finish: 'finishGeneration',
  deliver: 'deliverPostback',
  listPending: 'listOwedPostbacks',
  stopDeliveries: 'stopDeliveries',
} as const;

/**
 * Failure type of an activity whose dependency is unavailable. The activity is retried without a limit, and its run is
 * not replaced.
 */
export const dependencyFailure = 'DependencyUnavailable';

/** Failure type of a stage whose generation is no longer the source's current one, so that it must not write. */
export const supersededFailure = 'Superseded';

/**
 * Failure type of a stage whose row lacks the result of an earlier stage, which a failover of PostgreSQL lost. The
 * generation starts again from its first stage.
 */
export const progressLostFailure = 'ProgressLost';

/** One generation of a source: the subject of a stage, and the fence of its writes. */
export interface GenerationRef {
  sourceId: string;
  generation: number;
}

/** Payload of the signals `cancel`, `reprocess` and `refresh`. */
export interface GenerationCommand {
  generation: number;
}

/** The payload of a signal, or null when it is malformed: a wrong signal by an operator must not stop a run. */
export function parseGenerationCommand(payload: unknown): GenerationCommand | null {
  if (typeof payload !== 'object' || payload === null || !('generation' in payload)) return null;
  const generation = positiveInteger(payload.generation);
  return generation === null ? null : { generation };
}

function positiveInteger(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** One round of a postback that a run delivers. Its attempts and schedule are in the database. */
export interface PendingPostback {
  postbackId: string;
  round: number;
}

/**
 * Limit of concurrent deliveries of a source's run, including those in their back-off: Temporal allows 2,000 pending
 * activities. Each further delivery starts when another ends.
 */
export const MAX_OPEN_DELIVERIES = 500;

/** Input of the source workflow. With `generation` 0 it starts with the generation of its signals. */
export interface SourceRunInput {
  sourceId: string;
  generation: number;
  /**
   * Passed by continue-as-new: the newest generation that the previous run processed, and whether an operator canceled
   * that run just before continue-as-new.
   */
  continued?: { done: number; operatorCanceled: boolean };
}

/** The run that processes an artifact; the signal `process` carries `{round}`. */
export const artifactWorkflow = 'artifact';
export function artifactWorkflowId(artifactId: string): string {
  return `artifact-${artifactId}`;
}

/** One accepted request to process an artifact; the round is the fence of its writes. */
export interface ArtifactRound {
  artifactId: string;
  round: number;
}

/** The round in the payload of the signal `process`, or null when it is malformed. */
export function parseRound(payload: unknown): number | null {
  return typeof payload === 'object' && payload !== null && 'round' in payload ? positiveInteger(payload.round) : null;
}

/** The run that sends a support ticket to the mail server. */
export const ticketWorkflow = 'ticket';
export function ticketWorkflowId(ticketId: string): string {
  return `ticket-${ticketId}`;
}

/** The run that cancels the runs of a deleted space: one for each deletion, so that a restore stops only this one. */
export const spaceDeletionWorkflow = 'spaceDeletion';
export interface SpaceDeletion {
  spaceId: string;
  deletionId: string;
}
export function spaceDeletionWorkflowId({ deletionId }: SpaceDeletion): string {
  return `space-deletion-${deletionId}`;
}

/** The run that permanently removes a deleted source, or a deleted space with everything in it. */
export const purgeWorkflow = 'purge';
export interface PurgeSubject {
  of: 'source' | 'space';
  id: string;
}
export function purgeWorkflowId({ of, id }: PurgeSubject): string {
  return `purge-${of}-${id}`;
}

/** Search attributes of a source's run, for operators. Other workflows set those that apply to them. */
export const searchAttributes = {
  OwnerId: 'Keyword',
  SpaceId: 'Keyword',
  SourceId: 'Keyword',
  SourceType: 'Keyword',
  SourceStatus: 'Keyword',
  Generation: 'Int',
} as const;
