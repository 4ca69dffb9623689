import {
  readListedSource,
  readSource,
  readSourceState,
  type SourceRow,
  type SourceRowWithContext,
  type SourceState,
} from '../../../../db/queries/sources/read-sources.ts';
import type { Session } from '../../../../db/sql.ts';
import { COPIES, takeReadMemory } from '../../admission/read-memory.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import type { CallContext } from '../../trpc.ts';

/** A text of so many bytes is read at once; memory is taken for a larger one. */
const SMALL_BYTES = 256 * 1024;

/** The caller's live source, or a deleted one where it is asked for, whole and with its context. @throws AppError 404, 503 */
export async function findSource(
  ctx: CallContext,
  sourceId: string,
  options: { includeDeleted?: boolean } = {},
): Promise<SourceRowWithContext> {
  if (!isUuid(sourceId)) throw notFound('source');
  const read = (mostBytes: number) =>
    readSource(ctx.database.pool, ctx.caller.userId, sourceId, { ...options, mostBytes });
  let row = await read(SMALL_BYTES);
  if (row !== null && row.textSize > SMALL_BYTES) {
    await takeReadMemory(ctx, COPIES * row.textSize);
    row = await read(Number.MAX_SAFE_INTEGER);
  }
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
