import {
  readListedSource,
  readSource,
  readSourceState,
  type SourceRow,
  type SourceRowWithContext,
  type SourceState,
} from '../../../../db/queries/read-sources.ts';
import type { Session } from '../../../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import type { CallContext } from '../../trpc.ts';

/** The caller's live source, or a deleted one where it is asked for, whole and with its context. @throws AppError 404 */
export async function findSource(
  ctx: CallContext,
  sourceId: string,
  options: { includeDeleted?: boolean } = {},
): Promise<SourceRowWithContext> {
  if (!isUuid(sourceId)) throw notFound('source');
  const row = await readSource(ctx.database.pool, ctx.caller.userId, sourceId, options);
  if (row === null) throw notFound('source');
  return row;
}

/** The caller's live source as lists show it, read by the session of a write where it is part of one. @throws AppError 404 */
export async function findListedSource(
  ctx: CallContext,
  sourceId: string,
  session: Session = ctx.database.pool,
): Promise<SourceRow> {
  if (!isUuid(sourceId)) throw notFound('source');
  const row = await readListedSource(session, ctx.caller.userId, sourceId);
  if (row === null) throw notFound('source');
  return row;
}

/** The state of the caller's live source, or of a deleted one where it is asked for. @throws AppError 404 */
export async function findSourceState(
  ctx: CallContext,
  sourceId: string,
  options: { includeDeleted?: boolean } = {},
): Promise<SourceState> {
  if (!isUuid(sourceId)) throw notFound('source');
  const state = await readSourceState(ctx.database.pool, ctx.caller.userId, sourceId, options);
  if (state === null) throw notFound('source');
  return state;
}
