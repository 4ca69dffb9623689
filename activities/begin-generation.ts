import type { GenerationRef, PendingPostback } from '../contract/commands.ts';
import { readPendingPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import { transaction } from '../db/sql.ts';
import {
  type GenerationPlan,
  beginGeneration as markProcessing,
  readCurrentGeneration,
} from '../db/transitions/generations/begin-generation.ts';
import { cancelInDeletedSpace } from '../db/transitions/spaces/cancel-in-deleted-space.ts';
import type { Dependencies } from './runtime/dependencies.ts';

export type { GenerationPlan };

export interface Begun {
  /** The generation that the run asked for. */
  generation: number;
  /** Null when the generation has ended or was superseded: only pending postbacks are left to deliver. */
  plan: GenerationPlan | null;
  /** The source's current generation; below `generation` when a signal named one that does not exist. */
  newest: number;
  /** The source's pending postbacks. */
  owed: PendingPostback[];
}

/**
 * Sets the source to PROCESSING and returns the plan of the generation. A generation that was created concurrently with
 * the deletion of its space ends here as CANCELED.
 */
export async function beginGeneration(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
): Promise<Begun> {
  let plan = await markProcessing(database.pool, ref);
  if (plan === null) {
    const canceled = await transaction(database, (session) => cancelInDeletedSpace(session, config.PUBLIC_URL, ref));
    if (canceled) metrics.generationsEnded.inc({ status: 'CANCELED', code: '' });
    // Its space may have been restored between the two statements.
    else plan = await markProcessing(database.pool, ref);
  }
  logger.info({ event: plan ? 'generation.begun' : 'generation.fenced_out', ...ref });
  const current = plan === null ? await readCurrentGeneration(database.pool, ref) : null;
  return {
    generation: ref.generation,
    plan,
    newest: current?.generation ?? ref.generation,
    // A source has no postback before its first generation has ended.
    owed: plan !== null && ref.generation === 1 ? [] : await readPendingPostbacks(database.pool, ref.sourceId),
  };
}
