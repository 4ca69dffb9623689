import {
  readListedSource,
  readSource,
  readSourceState,
  type SourceRow,
  type SourceRowWithContext,
  type SourceState,
} from '../../../../db/queries/sources/read-sources.ts';
import type { Session } from '../../../../db/sql.ts';
import { MEMORY_FACTOR, takeReadMemory } from '../../admission/read-memory.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import type { CallContext } from '../../trpc.ts';

/** Texts up to this size are read without taking a share of the memory for reads. */
const SMALL_BYTES = 256 * 1024;

/** The caller's live source (with `includeDeleted` also a deleted one), with its context. @throws AppError 404, 503 */
export async function findSource(
  ctx: CallContext,
  sourceId: string,
  options: { includeDeleted?: boolean } = {},
): Promise<SourceRowWithContext> {
  if (!isUuid(sourceId)) throw notFound('source');
  const read = (maxBytes: number) =>
    readSource(ctx.database.pool, ctx.caller.userId, sourceId, { ...options, maxBytes });
  let row = await read(SMALL_BYTES);
  if (row !== null && row.textSize > SMALL_BYTES) {
    await takeReadMemory(ctx, MEMORY_FACTOR * row.textSize);
    row = await read(Number.MAX_SAFE_INTEGER);
  }
  if (row === null) throw notFound('source');
  return row;
}

/** The caller's live source as in lists. Pass the session inside a transaction. @throws AppError 404 */
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

/** The state of the caller's live source (with `includeDeleted` also of a deleted one). @throws AppError 404 */
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
