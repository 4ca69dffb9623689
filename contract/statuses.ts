/** Enumerations shared by rows, responses and runs. */

export const sourceTypes = ['URI', 'FILE', 'CONTENT', 'COMPOSITION'] as const;
export type SourceType = (typeof sourceTypes)[number];

export const sourceStatuses = ['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type SourceStatus = (typeof sourceStatuses)[number];

export const endStatuses = ['COMPLETED', 'FAILED', 'CANCELED'] as const satisfies readonly SourceStatus[];

/** Whether a source of this status has not ended. */
export function isOpen(status: SourceStatus): boolean {
  return !endStatuses.some((end) => end === status);
}

/** How a generation ended: with its source's status, or SUPERSEDED by a newer generation. */
export const outcomes = [...endStatuses, 'SUPERSEDED'] as const;
export type Outcome = (typeof outcomes)[number];

/** The reason for a generation: a request of the user, or a recovery by the service. */
export const triggers = ['create', 'update', 'reprocess', 'refresh', 'recovery'] as const;
export type Trigger = (typeof triggers)[number];

/**
 * Why a recovery replaced a run. `missing`: Temporal has no execution. `closed`: it ended before its source. `failing`:
 * its workflow task keeps failing. `stuck`: begin or finish keeps failing. `idle`: open with nothing pending. `behind`:
 * it ignored the signal of the generation, sent twice. `ahead`: it is newer than the database, which was restored.
 */
export const recoveryCauses = ['missing', 'closed', 'failing', 'stuck', 'idle', 'behind', 'ahead'] as const;
export type RecoveryCause = (typeof recoveryCauses)[number];

/** Actions of a bulk request. */
export const sourceActions = ['cancel', 'reprocess', 'refresh', 'delete', 'restore', 'pin', 'unpin', 'move'] as const;

/** The stages of a run, in order, as in `progress.stage` and `error.stage`. */
export const stages = ['begin', 'wait', 'fetch', 'context', 'artifacts', 'finish'] as const;
export type Stage = (typeof stages)[number];

export function isStage(value: unknown): value is Stage {
  return stages.some((stage) => stage === value);
}

export const artifactStatuses = ['EXTRACTED', 'PROCESSING', 'PROCESSED', 'FAILED'] as const;

export const postbackStates = ['pending', 'delivered', 'failed', 'disabled'] as const;
export type PostbackState = (typeof postbackStates)[number];

/** A ticket is PENDING until the mail server has accepted it. */
export const ticketStatuses = ['PENDING', 'SENT'] as const;

export const ticketTypes = ['technical', 'billing'] as const;

export const plans = ['free', 'pro'] as const;
export type Plan = (typeof plans)[number];

export const scopes = ['read', 'write'] as const;
export type Scope = (typeof scopes)[number];
