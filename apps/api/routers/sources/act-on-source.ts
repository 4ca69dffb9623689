/** What can be done to a source: the rules of each action, the same for one source and for many. */
import type { z } from 'zod';
import type { SourceResource } from '../../../../contract/resources.ts';
import { readListedSource } from '../../../../db/queries/sources/read-sources.ts';
import { type Session, savepoint } from '../../../../db/sql.ts';
import { type RunOptions, startGeneration } from '../../../../db/transitions/generations/start-generation.ts';
import { cancelSource } from '../../../../db/transitions/sources/cancel-source.ts';
import { deleteSource, restoreSource } from '../../../../db/transitions/sources/delete-source.ts';
import { type LockedSource, lockSource } from '../../../../db/transitions/sources/lock-source.ts';
import { pinSource, updateSource } from '../../../../db/transitions/sources/update-source.ts';
import { QuotaJudge } from '../../admission/quota.ts';
import { AppError, notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import type { CallContext } from '../../trpc.ts';
import { constraintError } from './constraint-error.ts';
import type { runOptions } from './source-input.ts';

interface Locked {
  ctx: CallContext;
  session: Session;
  quota: QuotaJudge;
  source: LockedSource;
}

export interface SourceAction {
  /** Whether it is for deleted sources too; others are not there for all else. */
  onDeleted?: true;
  /** Writes, in the transaction that has locked the source. @throws AppError */
  run(locked: Locked): Promise<void>;
}

/**
 * Locks the caller's source, in this space where one is named, does `action` to it, and reads what it is then. Runs
 * inside a transaction, all of which has one `quota`.
 * @throws AppError 404, and what the action refuses
 */
export async function actOnSource(
  ctx: CallContext,
  session: Session,
  id: string,
  action: SourceAction,
  { spaceId = null, quota = new QuotaJudge(ctx, session) }: { spaceId?: string | null; quota?: QuotaJudge } = {},
): Promise<SourceResource> {
  const source = isUuid(id) ? await lockSource(session, ctx.caller.userId, id, spaceId) : null;
  if (source === null || (source.deleted && !action.onDeleted)) throw notFound('source');
  await action.run({ ctx, session, quota, source });
  const row = await readListedSource(session, ctx.caller.userId, source.id, { includeDeleted: true });
  if (row === null) throw notFound('source');
  return toSourceResource(row);
}

type RunInput = { [Name in keyof typeof runOptions]: z.output<(typeof runOptions)[Name]> };

/** The run options of a request, as rows keep them. */
export function toRunOptions({ run_context_extraction, run_artifact_extraction }: RunInput): RunOptions {
  return { runContextExtraction: run_context_extraction, runArtifactExtraction: run_artifact_extraction };
}

/** CANCELED in the database before the answer: nothing of the generation is applied later. */
export const cancel: SourceAction = {
  async run({ ctx, session, source: { id, status } }) {
    if (status === 'COMPLETED' || status === 'FAILED') {
      const message = `The source is ${status} already: there is nothing to cancel.`;
      throw new AppError('CONFLICT', message, { details: [{ field: 'status', message }] });
    }
    await cancelSource(session, ctx.config.PUBLIC_URL, id);
  },
};

/** Works on the stored content again. */
export function reprocess(options: RunOptions): SourceAction {
  return {
    async run({ session, source: { id } }) {
      await startGeneration(session, { sourceId: id, trigger: 'reprocess', command: 'reprocess', options });
    },
  };
}

/** Fetches the content again before it is worked on: URI and FILE only. */
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

/** Hides the source, after a cancel if it runs. */
export const remove: SourceAction = {
  async run({ ctx, session, source: { id } }) {
    await deleteSource(session, ctx.config.PUBLIC_URL, id);
  },
};

/** Shows a deleted source again; one that is not deleted stays as it is. */
export const restore: SourceAction = {
  onDeleted: true,
  async run({ session, quota, source }) {
    if (!source.deleted) return;
    if (source.purging) throw notFound('source');
    await orConstraintError(session, source, async () => {
      await restoreSource(session, source.id);
      await quota.requireSource();
      await quota.requireBytes();
    });
  },
};

/** Sets the pin; null flips it. */
export function pin(pinned: boolean | null): SourceAction {
  return {
    async run({ session, source: { id } }) {
      await pinSource(session, id, pinned);
    },
  };
}

/** Puts the source into a collection of its space, or at the top with null. */
export function move(collectionId: string | null): SourceAction {
  return {
    async run({ session, source }) {
      await orConstraintError(session, source, () => updateSource(session, source.id, { collectionId }));
    },
  };
}

/** Says what a constraint refused in terms of the request, and leaves the transaction usable for other sources. */
async function orConstraintError(session: Session, source: LockedSource, work: () => Promise<void>): Promise<void> {
  try {
    await savepoint(session, work);
  } catch (error) {
    throw await constraintError(session, source, error);
  }
}
