import { z } from 'zod';
import {
  type ChangedRevision,
  databaseTimeOfLiveSpace,
  listChangedRevisions,
  OVERLAP_SECONDS,
  readChangedSources,
} from '../../../../db/queries/sources/changed-sources.ts';
import type { SourceRow } from '../../../../db/queries/sources/read-sources.ts';
import { cursorTime } from '../../cursor.ts';
import { notFound } from '../../errors.ts';
import { event, sourceEvent, throwIfClosing } from '../../live/event-stream.ts';
import type { Watch } from '../../live/watch.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findSpace } from './space-resource.ts';

/** A client that missed more changes must read the list. */
const MAX_MISSED = 1_000;
/** Sources read by one query: each may have 40 kB. */
const CHUNK = 50;

/** Streams the changes of all sources of a space, after the client's last event if it names one. */
export const streamSpaceEvents = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/events' },
    summary: 'Stream the changes of all sources of a space',
    description: `Server-sent events: \`event: source\`, \`id\` is the time of the change, \`data\` the source as in lists; deletion and restore are changes. Without Last-Event-ID it begins with \`event: ready\`. With it, the changes since ${OVERLAP_SECONDS} s before that event are sent first, oldest first. \`event: reset\` means that the list must be read again: the id is not from this stream, or more than ${MAX_MISSED} changes are pending. Each event has the current state of a source: changes in quick succession may be sent as one event, and a state may be sent twice. Costs one request.`,
  })
  .input(
    z.strictObject({
      spaceId: z.string(),
      lastEventId: z.string().optional().describe('The id of the last event received.'),
    }),
  )
  .subscription(async ({ ctx, input, signal }) => {
    const { id } = await findSpace(ctx, input.spaceId);
    const watch = ctx.watches.open(ctx.caller, [`sources-of:${id}`, `space:${id}`], signal);
    return new SpaceChanges(ctx, id, watch).stream(input.lastEventId);
  });

/** One stream of a space's changes. */
class SpaceChanges {
  readonly #ctx: CallContext;
  readonly #of: { spaceId: string; ownerId: string };
  readonly #watch: Watch;
  /** Every change visible at this time (of the database) has been sent. */
  #sentUntil = new Date(0);
  /** Revisions that were sent recently: a recheck, which overlaps the previous one, finds them again. */
  readonly #sent = new Map<string, { revision: number; at: Date }>();
  /** The id of the last event; ids never decrease. */
  #lastId = '';

  constructor(ctx: CallContext, spaceId: string, watch: Watch) {
    this.#ctx = ctx;
    this.#of = { spaceId, ownerId: ctx.caller.userId };
    this.#watch = watch;
  }

  async *stream(lastEventId: string | undefined) {
    try {
      const now = await this.#now();
      if (lastEventId === undefined) {
        yield* this.#restart(now, 'ready');
      } else {
        const lastTime = cursorTime.safeParse(lastEventId);
        const missed = lastTime.success ? await this.#missedSince(new Date(lastTime.data)) : null;
        if (missed === null) yield* this.#restart(now, 'reset');
        else yield* this.#sendMissed(missed);
      }
      this.#sentUntil = now;
      for (let changes = await this.#watch.next(); changes !== null; changes = await this.#watch.next()) {
        const tooMany = changes.sourceIds.length > CHUNK;
        if (changes.recheckAll || tooMany) yield* this.#recheckAll();
        if (!tooMany) for (const row of await this.#read(changes.sourceIds)) yield* this.#send(row);
      }
      throwIfClosing(this.#watch);
    } finally {
      this.#watch.end('done');
    }
  }

  /** The time of the database. @throws AppError 404 when the space is gone */
  async #now(): Promise<Date> {
    const now = await databaseTimeOfLiveSpace(this.#ctx.database.pool, this.#of.spaceId);
    if (now === null) throw notFound('space');
    return now;
  }

  async #read(ids: string[]): Promise<SourceRow[]> {
    return ids.length === 0 ? [] : readChangedSources(this.#ctx.database.pool, this.#of, ids);
  }

  /** Changes since `time` that were not sent, oldest first; null for more than MAX_MISSED. */
  async #missedSince(time: Date): Promise<ChangedRevision[] | null> {
    // Among this many changes, more than MAX_MISSED were not sent.
    const limit = this.#sent.size + MAX_MISSED + 1;
    const changed = await listChangedRevisions(this.#ctx.database.pool, this.#of, time, limit);
    const missed = changed.filter(({ id, revision }) => this.#sent.get(id)?.revision !== revision);
    return missed.length > MAX_MISSED ? null : missed;
  }

  /** Starts with the current revisions as sent, so that late notifications of earlier changes are not sent. */
  async *#restart(now: Date, name: 'ready' | 'reset') {
    const known = await listChangedRevisions(this.#ctx.database.pool, this.#of, now);
    for (const { id, revision, updatedAt } of known) this.#sent.set(id, { revision, at: updatedAt });
    yield event(this.#idOf(now), { event: name });
  }

  /** The id of an event: its time, or the last id where a long transaction commits after later changes were sent. */
  #idOf(time: Date): string {
    const id = time.toISOString();
    if (id > this.#lastId) this.#lastId = id;
    return this.#lastId;
  }

  /** Sends the changes whose notifications were lost or not listed one by one. */
  async *#recheckAll() {
    const now = await this.#now();
    const missed = await this.#missedSince(this.#sentUntil);
    if (missed === null) yield* this.#restart(now, 'reset');
    else yield* this.#sendMissed(missed);
    this.#sentUntil = now;
    const expired = now.getTime() - 2 * OVERLAP_SECONDS * 1_000;
    for (const [id, { at }] of this.#sent) if (at.getTime() < expired) this.#sent.delete(id);
  }

  async *#sendMissed(missed: ChangedRevision[]) {
    for (let start = 0; start < missed.length; start += CHUNK) {
      const chunk = missed.slice(start, start + CHUNK);
      const rows = new Map((await this.#read(chunk.map(({ id }) => id))).map((row) => [row.id, row]));
      for (const { id, revision } of chunk) {
        const row = rows.get(id);
        // A source that has changed again is sent with that change: its later id would skip the changes in between.
        if (row?.revision === revision) yield* this.#send(row);
      }
    }
  }

  *#send(row: SourceRow) {
    if (this.#sent.get(row.id)?.revision === row.revision) return;
    this.#sent.set(row.id, { revision: row.revision, at: row.updatedAt });
    yield sourceEvent(this.#idOf(row.updatedAt), row);
  }
}
