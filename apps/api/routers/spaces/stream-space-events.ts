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
import { endOf, event, sourceEvent } from '../../live/event-stream.ts';
import type { Watch } from '../../live/watch.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findSpace } from './space-resource.ts';

/** A client that missed more reads the list. */
const MAX_MISSED = 1_000;
/** Sources that are read at once: each may have 40 kB. */
const CHUNK = 50;

/** Changes of all sources of a space, from the last one that the client has seen. */
export const streamSpaceEvents = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/events' },
    summary: 'Stream the changes of all sources of a space',
    description: `Server-sent events: \`event: source\`, \`id\` is the time of the change, \`data\` the source as in lists; deletion and restore are changes. Without Last-Event-ID it begins with \`event: ready\`. With it, it first sends what changed since ${OVERLAP_SECONDS} s before it, the oldest first; when the id is none of this stream, and whenever more than ${MAX_MISSED} are still to be sent, \`event: reset\`: read the list again. Events are states: repeats are harmless, and changes in quick succession may come as one. Costs one request.`,
  })
  .input(
    z.strictObject({
      spaceId: z.string(),
      lastEventId: z.string().optional().describe('The id of the last event that was seen.'),
    }),
  )
  .subscription(async ({ ctx, input, signal }) => {
    const { id } = await findSpace(ctx, input.spaceId);
    const watch = ctx.watches.open(ctx.caller, [`sources-of:${id}`, `space:${id}`], signal);
    return new SpaceChanges(ctx, id, watch).stream(input.lastEventId);
  });

/** One such stream. */
class SpaceChanges {
  readonly #ctx: CallContext;
  readonly #of: { spaceId: string; ownerId: string };
  readonly #watch: Watch;
  /** Everything that was visible at this time of the database has been sent. */
  #seenUntil = new Date(0);
  /** Revisions that were sent lately: looking back finds them again. */
  readonly #sent = new Map<string, { revision: number; at: Date }>();
  /** The id of the last event: none goes behind it. */
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
        yield* this.#beginAnew(now, 'ready');
      } else {
        const seen = cursorTime.safeParse(lastEventId);
        const missed = seen.success ? await this.#missedSince(new Date(seen.data)) : null;
        if (missed === null) yield* this.#beginAnew(now, 'reset');
        else yield* this.#showMissed(missed);
      }
      this.#seenUntil = now;
      for (let heard = await this.#watch.next(); heard !== null; heard = await this.#watch.next()) {
        const many = heard.sourceIds.length > CHUNK;
        if (heard.lookAtAll || many) yield* this.#lookAtAll();
        if (!many) for (const row of await this.#read(heard.sourceIds)) yield* this.#show(row);
      }
      endOf(this.#watch);
    } finally {
      this.#watch.end('done');
    }
  }

  /** @throws AppError 404 when the space is gone */
  async #now(): Promise<Date> {
    const now = await databaseTimeOfLiveSpace(this.#ctx.database.pool, this.#of.spaceId);
    if (now === null) throw notFound('space');
    return now;
  }

  async #read(ids: string[]): Promise<SourceRow[]> {
    return ids.length === 0 ? [] : readChangedSources(this.#ctx.database.pool, this.#of, ids);
  }

  /** What changed since and was not sent, the oldest first; null when that is too much. */
  async #missedSince(time: Date): Promise<ChangedRevision[] | null> {
    // Of so many, more than MAX_MISSED were not sent.
    const most = this.#sent.size + MAX_MISSED + 1;
    const changed = await listChangedRevisions(this.#ctx.database.pool, this.#of, time, most);
    const missed = changed.filter(({ id, revision }) => this.#sent.get(id)?.revision !== revision);
    return missed.length > MAX_MISSED ? null : missed;
  }

  /** From here on the client knows what is there now: what a late notification tells of before is not sent. */
  async *#beginAnew(now: Date, name: 'ready' | 'reset') {
    const known = await listChangedRevisions(this.#ctx.database.pool, this.#of, now);
    for (const { id, revision, updatedAt } of known) this.#sent.set(id, { revision, at: updatedAt });
    yield event(this.#idOf(now), { event: name });
  }

  /** The id of an event about a change at this time; one whose transaction took long is sent after later ones. */
  #idOf(time: Date): string {
    const id = time.toISOString();
    if (id > this.#lastId) this.#lastId = id;
    return this.#lastId;
  }

  /** Sends what no notification told. */
  async *#lookAtAll() {
    const now = await this.#now();
    const missed = await this.#missedSince(this.#seenUntil);
    if (missed === null) yield* this.#beginAnew(now, 'reset');
    else yield* this.#showMissed(missed);
    this.#seenUntil = now;
    const forgotten = now.getTime() - 2 * OVERLAP_SECONDS * 1_000;
    for (const [id, { at }] of this.#sent) if (at.getTime() < forgotten) this.#sent.delete(id);
  }

  async *#showMissed(missed: ChangedRevision[]) {
    for (let start = 0; start < missed.length; start += CHUNK) {
      const chunk = missed.slice(start, start + CHUNK);
      const rows = new Map((await this.#read(chunk.map(({ id }) => id))).map((row) => [row.id, row]));
      for (const { id, revision } of chunk) {
        const row = rows.get(id);
        // One that has changed again comes with that change: its later id would stand for those behind it, too.
        if (row?.revision === revision) yield* this.#show(row);
      }
    }
  }

  *#show(row: SourceRow) {
    if (this.#sent.get(row.id)?.revision === row.revision) return;
    this.#sent.set(row.id, { revision: row.revision, at: row.updatedAt });
    yield sourceEvent(this.#idOf(row.updatedAt), row);
  }
}
