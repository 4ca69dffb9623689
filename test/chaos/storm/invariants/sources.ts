/** Which sources there are: all that were accepted, none twice, and no deleted one beyond its time. */
import type { FinalState } from '../final-state.ts';
import type { History, Verdict } from '../history.ts';

/** Milliseconds by which the database rounds a time. */
const ROUNDED_MS = 5;
const ends = ['COMPLETED', 'FAILED', 'CANCELED'];

export function everySourceEnded({ sources }: FinalState): string[] {
  return sources.flatMap(({ id, marker, status, generation, generations, shown }) => {
    const newest = generations.at(-1);
    if (!ends.includes(status)) return [`${id} (${marker}) is ${status} in generation ${generation}`];
    if (newest?.outcome !== status || newest.generation !== generation) {
      return [`${id} is ${status} in generation ${generation}, its newest ${newest?.generation} is ${newest?.outcome}`];
    }
    const open = generations.filter(({ outcome }) => outcome === null);
    if (open.length > 0) return [`${id} has open generations beside its newest`];
    if (shown?.status !== status || shown.generation !== generation) {
      return [`${id} is shown as ${shown?.status} ${shown?.generation}, its row is ${status} ${generation}`];
    }
    return [];
  });
}

interface Word {
  action: 'delete' | 'restore';
  verdict: Verdict;
  status: number | null;
  sentAt: number;
  answeredAt: number | null;
  /** Of a source: the id that its client knew. */
  sourceId?: string | null;
}

/** The deletions and restores of a source, or of a space. */
function wordsOn(history: History, of: { marker: string } | { spaceId: string }): Word[] {
  if ('marker' in of) {
    return history.requests.flatMap((request) =>
      request.marker === of.marker && (request.action === 'delete' || request.action === 'restore')
        ? [{ ...request, action: request.action }]
        : [],
    );
  }
  return history.others.flatMap((request): Word[] => {
    if (request.subject !== of.spaceId) return [];
    if (request.action === 'delete space') return [{ ...request, action: 'delete' }];
    return request.action === 'restore space' ? [{ ...request, action: 'restore' }] : [];
  });
}

/** A request without an answer is carried out before this, or never: a process may be paused for 15 s. */
const UNKNOWN_MS = 30_000;

/** `unsure` where the last answer is missing, or two requests ran beside each other. */
function lastWord(words: readonly Word[]): 'live' | 'deleted' | 'unsure' {
  const own = words.filter(({ verdict }) => verdict !== 'refused');
  const last = own.at(-1);
  if (own.some(({ verdict, sentAt }) => verdict === 'unknown' && sentAt + UNKNOWN_MS > (last?.sentAt ?? 0))) {
    return 'unsure';
  }
  if (last === undefined) return 'live';
  if (own.slice(0, -1).some(({ answeredAt }) => (answeredAt ?? 0) > last.sentAt)) return 'unsure';
  return last.action === 'delete' ? 'deleted' : 'live';
}

/** Whether a deletion of it, or of its space, may have been accepted. */
export function isDeletedOnce(history: History, marker: string): boolean {
  const spaceId = history.sources.get(marker)?.spaceId ?? '';
  return [...wordsOn(history, { marker }), ...wordsOn(history, { spaceId })].some(
    ({ action, verdict }) => action === 'delete' && verdict !== 'refused',
  );
}

/** What is not deleted is there, and what is deleted was purged once its time had come. */
export function deletionsHold({ history, sources }: FinalState): string[] {
  const there = new Set(sources.map(({ id }) => id));
  return [...history.sources.values()].flatMap(({ marker, ids, spaceId }) => {
    const words = [lastWord(wordsOn(history, { marker })), lastWord(wordsOn(history, { spaceId }))];
    return [...ids].flatMap((id) => {
      if (words.includes('deleted')) return there.has(id) ? [`${id} (${marker}) was deleted and is there`] : [];
      if (words.includes('unsure')) return [];
      return there.has(id) ? [] : [`${id} (${marker}) was accepted, is not deleted, and is not there`];
    });
  });
}

/** A source or space is not refused to be restored before its time is over. */
export function restoresAreAccepted({ history, retentionMs }: FinalState): string[] {
  // Without an id, a failover may have lost the source.
  const made = [...history.sources.values()].filter(({ ids }) => ids.size > 0);
  return made.flatMap(({ marker, spaceId, ids }) => {
    // Nor is there one by an id that a failover took back.
    const own = wordsOn(history, { marker }).filter(({ sourceId }) => ids.has(sourceId ?? ''));
    const ofSpace = wordsOn(history, { spaceId });
    // A source of a deleted space is not there for anybody.
    if (ofSpace.some(({ action }) => action === 'delete')) return [];
    return own.flatMap(({ action, status, sentAt, answeredAt }) => {
      const deletes = own.filter((one) => one.action === 'delete' && one.verdict !== 'refused');
      const isDue = deletes.some((one) => one.sentAt <= (answeredAt ?? 0) - retentionMs);
      return action === 'restore' && status === 404 && !isDue
        ? [`${marker}: the restore of ${new Date(sentAt).toISOString()} was answered 404 before its time was over`]
        : [];
    });
  });
}

/** From the answer to the deletion of a space to the request that restores it, nobody can ask for anything in it. */
export function deletedSpacesTakeNoRequests({ history, sources }: FinalState): string[] {
  return sources.flatMap(({ id, marker, spaceId, generations }) => {
    const words = wordsOn(history, { spaceId });
    return words.flatMap(({ action, verdict, sentAt, answeredAt }) => {
      if (action !== 'delete' || verdict !== 'accepted' || answeredAt === null) return [];
      const restore = words.find((one) => one.action === 'restore' && one.sentAt >= sentAt);
      const made = generations.filter(({ trigger, createdAt }) => {
        return trigger !== 'recovery' && createdAt > answeredAt + ROUNDED_MS && createdAt < (restore?.sentAt ?? 0);
      });
      return made.map(
        ({ trigger, generation }) => `${id} (${marker}): a ${trigger} made generation ${generation} in a deleted space`,
      );
    });
  });
}

export function oneSourceForEachCreate({ history, sources, artifacts }: FinalState): string[] {
  const promotions = history.others.filter((one) => one.action === 'promote artifact' && one.verdict !== 'refused');
  const promoted = new Set([
    ...promotions.map(({ answerId }) => answerId),
    ...artifacts.map(({ promotedSourceId }) => promotedSourceId),
  ]);
  const unknown = promotions.filter(({ verdict }) => verdict === 'unknown').length;
  const unasked = sources.filter(({ id, marker }) => !history.sources.has(marker) && !promoted.has(id));
  const byMarker = Map.groupBy(sources, ({ marker }) => marker);
  const twice = [...history.sources.keys()].flatMap((marker) => {
    const made = byMarker.get(marker) ?? [];
    return made.length > 1 ? [`${marker} was made ${made.length} times: ${made.map(({ id }) => id)}`] : [];
  });
  const answeredTwice = [...history.sources.values()]
    .filter(({ ids }) => ids.size > 1)
    .map(({ marker, ids }) => `${marker} was answered with ${[...ids]}`);
  // The artifact of a promotion without an answer may be gone.
  return unasked.length > unknown
    ? [...twice, ...answeredTwice, `nobody asked for ${unasked.map(({ id, marker }) => `${id} (${marker})`)}`]
    : [...twice, ...answeredTwice];
}
