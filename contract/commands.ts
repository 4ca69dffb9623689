/**
 * The names by which the database's outbox, the dispatcher and the workflows know each other. What a generation is
 * to do stands in its row; a command says only which generation to look at, so that repeats and odd orders are
 * harmless.
 */
/** `start` begins a new source's first run; the others are signals to the run of a source. */
export const sourceCommands = ['start', 'cancel', 'reprocess', 'refresh', 'deliver'] as const;
export type SourceCommand = (typeof sourceCommands)[number];

/** The type name of the workflow that runs a source, and its id. */
export const sourceWorkflow = 'source';
export function sourceWorkflowId(sourceId: string): string {
  return `source-${sourceId}`;
}

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
  const { generation } = payload;
  return typeof generation === 'number' && Number.isSafeInteger(generation) && generation > 0 ? { generation } : null;
}

/** One round of a postback that a run delivers. Its attempts and its schedule stand in the database. */
export interface OwedPostback {
  postbackId: string;
  round: number;
}

/** Input of the source workflow. `generation` 0: begin with what the signals name. */
export interface SourceRunInput {
  sourceId: string;
  generation: number;
  /** Handed over by continue-as-new: the newest generation that was dealt with. */
  continued?: { done: number };
}

/** Search attributes of a source's run, for operators. */
export const searchAttributes = {
  OwnerId: 'Keyword',
  SpaceId: 'Keyword',
  SourceId: 'Keyword',
  SourceType: 'Keyword',
  SourceStatus: 'Keyword',
  Generation: 'Int',
} as const;
