import type { GenerationRef, PendingPostback } from '../contract/commands.ts';
import { readPendingPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import { transaction } from '../db/sql.ts';
import {
  type GenerationPlan,
  readCurrentGeneration,
  beginGeneration as takeUp,
} from '../db/transitions/generations/begin-generation.ts';
import { cancelInDeletedSpace } from '../db/transitions/spaces/cancel-in-deleted-space.ts';
import type { Dependencies } from './runtime/dependencies.ts';

export type { GenerationPlan };

export interface Begun {
  /** The generation that was to be taken up. */
  generation: number;
  /** Null when the generation has ended or a newer one took its place: only what the source still owes is left to do. */
  plan: GenerationPlan | null;
  /** The source's generation; below the one that was to be taken up when a signal named one that does not exist. */
  newest: number;
  owed: PendingPostback[];
}

/**
 * Takes a generation up as PROCESSING and returns what it is to do. One that was written beside the deletion of its
 * space ends here as CANCELED.
 */
export async function beginGeneration(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
): Promise<Begun> {
  let plan = await takeUp(database.pool, ref);
  if (plan === null) {
    const canceled = await transaction(database, (session) => cancelInDeletedSpace(session, config.PUBLIC_URL, ref));
    if (canceled) metrics.generationsEnded.inc({ status: 'CANCELED', code: '' });
    // Its space may have been restored between the two.
    else plan = await takeUp(database.pool, ref);
  }
  logger.info({ event: plan ? 'generation.begun' : 'generation.fenced_out', ...ref });
  const truth = plan === null ? await readCurrentGeneration(database.pool, ref) : null;
  return {
    generation: ref.generation,
    plan,
    newest: truth?.generation ?? ref.generation,
    // Before its first generation has ended, a source has no postback.
    owed: plan !== null && ref.generation === 1 ? [] : await readPendingPostbacks(database.pool, ref.sourceId),
  };
}
