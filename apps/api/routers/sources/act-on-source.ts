/** Actions on a source and their rules, the same for single and bulk requests. */
import type { z } from 'zod';
import type { SourceResource } from '../../../../contract/resources.ts';
import { readListedSource } from '../../../../db/queries/sources/read-sources.ts';
import { savepoint, type Transaction } from '../../../../db/sql.ts';
import { type RunOptions, startGeneration } from '../../../../db/transitions/generations/start-generation.ts';
import { cancelSource } from '../../../../db/transitions/sources/cancel-source.ts';
import { deleteSource, restoreSource } from '../../../../db/transitions/sources/delete-source.ts';
import { type LockedSource, lockSource } from '../../../../db/transitions/sources/lock-source.ts';
import { pinSource, updateSource } from '../../../../db/transitions/sources/update-source.ts';
import { QuotaCheck } from '../../admission/quota.ts';
import { AppError, notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import type { CallContext } from '../../trpc.ts';
import { constraintError } from './constraint-error.ts';
import type { runOptions } from './source-input.ts';

interface ActionContext {
  ctx: CallContext;
  session: Transaction;
  quota: QuotaCheck;
  source: LockedSource;
}

export interface SourceAction {
  /** Whether the action applies to deleted sources, too; for other actions these are 404. */
  onDeleted?: true;
  /** Writes, in the transaction that has locked the source. @throws AppError */
  run(context: ActionContext): Promise<void>;
}

/**
 * Locks the caller's source (in the space `spaceId`, if given), runs `action` on it, and returns the changed source.
 * The caller opens the transaction, and passes one `quota` for all sources in it.
 * @throws AppError 404, and the errors of the action
 */
export async function actOnSource(
  ctx: CallContext,
  session: Transaction,
  id: string,
  action: SourceAction,
  { spaceId = null, quota = new QuotaCheck(ctx, session) }: { spaceId?: string | null; quota?: QuotaCheck } = {},
): Promise<SourceResource> {
  const source = isUuid(id) ? await lockSource(session, ctx.caller.userId, id, spaceId) : null;
  if (source === null || (source.deleted && !action.onDeleted)) throw notFound('source');
  await action.run({ ctx, session, quota, source });
  const row = await readListedSource(session, ctx.caller.userId, source.id, { includeDeleted: true });
  if (row === null) throw notFound('source');
  return toSourceResource(row);
}

type RunInput = { [Name in keyof typeof runOptions]: z.output<(typeof runOptions)[Name]> };

/** The run options of a request, as rows store them. */
export function toRunOptions({ run_context_extraction, run_artifact_extraction }: RunInput): RunOptions {
  return { runContextExtraction: run_context_extraction, runArtifactExtraction: run_artifact_extraction };
}

/** Sets CANCELED before the response: the generation writes nothing afterwards. */
export const cancel: SourceAction = {
  async run({ ctx, session, source: { id, status } }) {
    if (status === 'COMPLETED' || status === 'FAILED') {
      const message = `The source is ${status} already: there is nothing to cancel.`;
      throw new AppError('CONFLICT', message, { details: [{ field: 'status', message }] });
    }
    await cancelSource(session, ctx.config.PUBLIC_URL, id);
  },
};

/** Processes the stored content again. */
export function reprocess(options: RunOptions): SourceAction {
  return {
    async run({ session, source: { id } }) {
      await startGeneration(session, { sourceId: id, trigger: 'reprocess', command: 'reprocess', options });
    },
  };
}

/** Fetches the content again and processes it; URI and FILE only. */
export function refresh(options: RunOptions): SourceAction {
  return {
    async run({ session, source: { id, type } }) {
      if (type !== 'URI' && type !== 'FILE') {
        const message = `Only URI and FILE sources can be refreshed; this one is ${type}. Use reprocess.`;
        throw new AppError('BAD_REQUEST', message, { details: [{ field: 'type', message }] });
      }
      await startGeneration(session, { sourceId: id, trigger: 'refresh', command: 'refresh', options });
    },
  };
}

/** Marks the source as deleted, and cancels its run. */
export const remove: SourceAction = {
  async run({ ctx, session, source: { id } }) {
    await deleteSource(session, ctx.config.PUBLIC_URL, id);
  },
};

/** Restores a deleted source; one that is not deleted stays unchanged. */
export const restore: SourceAction = {
  onDeleted: true,
  async run({ session, quota, source }) {
    if (!source.deleted) return;
    if (source.purging) throw notFound('source');
    await withConstraintErrors(session, source, async () => {
      await restoreSource(session, source.id);
      await quota.requireSource();
      await quota.requireBytes();
    });
  },
};

/** Sets the pin; null toggles it. */
export function pin(pinned: boolean | null): SourceAction {
  return {
    async run({ session, source: { id } }) {
      await pinSource(session, id, pinned);
    },
  };
}

/** Moves the source into a collection of its space, or to the top level with null. */
export function move(collectionId: string | null): SourceAction {
  return {
    async run({ session, source }) {
      await withConstraintErrors(session, source, () => updateSource(session, source.id, { collectionId }));
    },
  };
}

/** Maps a constraint violation to an error on the request's field; the transaction stays usable for other sources. */
async function withConstraintErrors(
  session: Transaction,
  source: LockedSource,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await savepoint(session, work);
  } catch (error) {
    throw await constraintError(session, source, error);
  }
}
