/**
 * The names by which the database's outbox, the dispatcher and the workflows know each other. What is to be done
 * stands in the database's rows; a command says only where to look, so that repeats and odd orders are harmless.
 */

/** `start` begins a new source's first run; the others are signals to the run of a source. */
export const sourceCommands = ['start', 'cancel', 'reprocess', 'refresh', 'deliver'] as const;
export type SourceCommand = (typeof sourceCommands)[number];

/** Every command that the outbox carries, by what it is about. */
export const commands = [...sourceCommands, 'process', 'send', 'cancel_sources', 'purge'] as const;
export type Command = (typeof commands)[number];

/** The type name of the workflow that runs a source, and its id. */
export const sourceWorkflow = 'source';
export function sourceWorkflowId(sourceId: string): string {
  return `source-${sourceId}`;
}

/** The activities that the reconciler tells from the others in the description of a source's run. */
export const sourceActivities = {
  begin: 'beginGeneration',
  finish: 'finishGeneration',
  deliver: 'deliverPostback',
  listPending: 'listOwedPostbacks',
  stopDeliveries: 'stopDeliveries',
} as const;

/**
 * The type of the failure of an activity that met trouble of a part that the service runs on. It is tried again
 * without a limit, and no run is replaced for it.
 */
export const dependencyFailure = 'DependencyUnavailable';

/** The type of the failure of a step whose generation is not the source's current one: nothing is left to write. */
export const supersededFailure = 'Superseded';

/**
 * The type of the failure of a step whose row lacks what an earlier step had stored: a failover of PostgreSQL lost it.
 * The generation is done again from its beginning.
 */
export const progressLostFailure = 'ProgressLost';

/** One generation of one source: what a step of a run works on, and the fence of all that it writes. */
export interface GenerationRef {
  sourceId: string;
  generation: number;
}

/** Payload of the signals `cancel`, `reprocess` and `refresh`. */
export interface GenerationCommand {
  generation: number;
}

/** A signal's payload, or null where an operator sent something else: a bad signal must not stop a run. */
export function parseGenerationCommand(payload: unknown): GenerationCommand | null {
  if (typeof payload !== 'object' || payload === null || !('generation' in payload)) return null;
  const generation = positiveInteger(payload.generation);
  return generation === null ? null : { generation };
}

function positiveInteger(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** One round of a postback that a run delivers. Its attempts and its schedule stand in the database. */
export interface PendingPostback {
  postbackId: string;
  round: number;
}

/**
 * Deliveries that a source's run has under way at once, those in their back-off included: Temporal refuses more than
 * 2,000 pending activities. The others of the source follow when one of these ends.
 */
export const MAX_OPEN_DELIVERIES = 500;

/** Input of the source workflow. `generation` 0: begin with what the signals name. */
export interface SourceRunInput {
  sourceId: string;
  generation: number;
  /**
   * Handed over by continue-as-new: the newest generation that was dealt with, and whether an operator canceled the run
   * while it was about to continue.
   */
  continued?: { done: number; operatorCanceled: boolean };
}

/** The run that processes an artifact; the signal `process` carries `{round}`. */
export const artifactWorkflow = 'artifact';
export function artifactWorkflowId(artifactId: string): string {
  return `artifact-${artifactId}`;
}

/** One accepted call to process an artifact: the round fences what it writes. */
export interface ArtifactRound {
  artifactId: string;
  round: number;
}

/** The round in the payload of the signal `process`, or null where an operator sent something else. */
export function parseRound(payload: unknown): number | null {
  return typeof payload === 'object' && payload !== null && 'round' in payload ? positiveInteger(payload.round) : null;
}

/** The run that hands a support ticket to the mail server. */
export const ticketWorkflow = 'ticket';
export function ticketWorkflowId(ticketId: string): string {
  return `ticket-${ticketId}`;
}

/** The run that cancels what runs in a deleted space: one for each deletion, so that a restore stops just that. */
export const spaceDeletionWorkflow = 'spaceDeletion';
export interface SpaceDeletion {
  spaceId: string;
  deletionId: string;
}
export function spaceDeletionWorkflowId({ deletionId }: SpaceDeletion): string {
  return `space-deletion-${deletionId}`;
}

/** The run that removes a deleted source, or a deleted space with everything in it, for good. */
export const purgeWorkflow = 'purge';
export interface PurgeSubject {
  of: 'source' | 'space';
  id: string;
}
export function purgeWorkflowId({ of, id }: PurgeSubject): string {
  return `purge-${of}-${id}`;
}

/** Search attributes of a source's run, for operators. The other workflows set those that they have. */
export const searchAttributes = {
  OwnerId: 'Keyword',
  SpaceId: 'Keyword',
  SourceId: 'Keyword',
  SourceType: 'Keyword',
  SourceStatus: 'Keyword',
  Generation: 'Int',
} as const;
