/** Invariants about existence: accepted sources exist once, and deleted ones are purged after the retention time. */
import type { FinalState } from '../final-state.ts';
import type { Acceptance, History } from '../history.ts';

/** Rounding error of database times. */
const ROUNDED_MS = 5;
const ends = ['COMPLETED', 'FAILED', 'CANCELED'];

export function everySourceEnded({ sources }: FinalState): string[] {
  return sources.flatMap(({ id, marker, status, generation, generations, shown }) => {
    const newest = generations.at(-1);
    if (!ends.includes(status)) return [`${id} (${marker}) is ${status} in generation ${generation}`];
    if (newest?.outcome !== status || newest.generation !== generation) {
      return [
        `${id} is ${status} in generation ${generation}, its newest generation ${newest?.generation} is ${newest?.outcome}`,
      ];
    }
    const open = generations.filter(({ outcome }) => outcome === null);
    if (open.length > 0) return [`${id} has open generations before its newest`];
    if (shown?.status !== status || shown.generation !== generation) {
      return [`the API shows ${id} as ${shown?.status} ${shown?.generation}, its row is ${status} ${generation}`];
    }
    return [];
  });
}

interface DeletionRequest {
  action: 'delete' | 'restore';
  acceptance: Acceptance;
  status: number | null;
  sentAt: number;
  respondedAt: number | null;
  /** Sources only: the id that the client knew. */
  sourceId?: string | null;
}

/** Delete and restore requests of a source, or of a space. */
function deletionRequests(history: History, of: { marker: string } | { spaceId: string }): DeletionRequest[] {
  if ('marker' in of) {
    return history.requests.flatMap((request) =>
      request.marker === of.marker && (request.action === 'delete' || request.action === 'restore')
        ? [{ ...request, action: request.action }]
        : [],
    );
  }
  return history.others.flatMap((request): DeletionRequest[] => {
    if (request.subject !== of.spaceId) return [];
    if (request.action === 'delete space') return [{ ...request, action: 'delete' }];
    return request.action === 'restore space' ? [{ ...request, action: 'restore' }] : [];
  });
}

/** A request without a response takes effect within this time or never: a process may be paused for 15 s. */
const UNKNOWN_MS = 30_000;

/** `unsure` if the last response is missing, or two requests overlapped. */
function deletionState(words: readonly DeletionRequest[]): 'live' | 'deleted' | 'unsure' {
  const own = words.filter(({ acceptance }) => acceptance !== 'rejected');
  const last = own.at(-1);
  if (own.some(({ acceptance, sentAt }) => acceptance === 'unknown' && sentAt + UNKNOWN_MS > (last?.sentAt ?? 0))) {
    return 'unsure';
  }
  if (last === undefined) return 'live';
  if (own.slice(0, -1).some(({ respondedAt }) => (respondedAt ?? 0) > last.sentAt)) return 'unsure';
  return last.action === 'delete' ? 'deleted' : 'live';
}

/** Returns whether a deletion of the source or of its space may have been accepted. */
export function isDeletedOnce(history: History, marker: string): boolean {
  const spaceId = history.sources.get(marker)?.spaceId ?? '';
  return [...deletionRequests(history, { marker }), ...deletionRequests(history, { spaceId })].some(
    ({ action, acceptance }) => action === 'delete' && acceptance !== 'rejected',
  );
}

/** Sources that are not deleted exist, and deleted ones are purged. */
export function acceptedSourcesExist({ history, sources }: FinalState): string[] {
  const existing = new Set(sources.map(({ id }) => id));
  return [...history.sources.values()].flatMap(({ marker, ids, spaceId }) => {
    const states = [{ marker }, { spaceId }].map((of) => deletionState(deletionRequests(history, of)));
    return [...ids].flatMap((id) => {
      if (states.includes('deleted')) return existing.has(id) ? [`${id} (${marker}) was deleted but still exists`] : [];
      if (states.includes('unsure')) return [];
      return existing.has(id) ? [] : [`${id} (${marker}) was accepted and not deleted, but does not exist`];
    });
  });
}

/** A restore of a source within the retention time does not return 404. */
export function restoresAreAccepted({ history, retentionMs }: FinalState): string[] {
  // Without an id, a failover may have lost the source.
  const made = [...history.sources.values()].filter(({ ids }) => ids.size > 0);
  return made.flatMap(({ marker, spaceId, ids }) => {
    // Ignores ids that a failover lost.
    const own = deletionRequests(history, { marker }).filter(({ sourceId }) => ids.has(sourceId ?? ''));
    const ofSpace = deletionRequests(history, { spaceId });
    // Sources of a deleted space are not visible, so 404 is correct.
    if (ofSpace.some(({ action }) => action === 'delete')) return [];
    return own.flatMap(({ action, status, sentAt, respondedAt }) => {
      const deletes = own.filter((one) => one.action === 'delete' && one.acceptance !== 'rejected');
      const isDue = deletes.some((one) => one.sentAt <= (respondedAt ?? 0) - retentionMs);
      return action === 'restore' && status === 404 && !isDue
        ? [`${marker}: the restore of ${new Date(sentAt).toISOString()} returned 404 within the retention time`]
        : [];
    });
  });
}

/** Between the response to a space's deletion and the request to restore it, no request makes a generation in it. */
export function deletedSpacesAcceptNoRequests({ history, sources }: FinalState): string[] {
  return sources.flatMap(({ id, marker, spaceId, generations }) => {
    const words = deletionRequests(history, { spaceId });
    return words.flatMap(({ action, acceptance, sentAt, respondedAt }) => {
      if (action !== 'delete' || acceptance !== 'accepted' || respondedAt === null) return [];
      const restore = words.find((one) => one.action === 'restore' && one.sentAt >= sentAt);
      const made = generations.filter(({ trigger, createdAt }) => {
        return trigger !== 'recovery' && createdAt > respondedAt + ROUNDED_MS && createdAt < (restore?.sentAt ?? 0);
      });
      return made.map(
        ({ trigger, generation }) => `${id} (${marker}): a ${trigger} made generation ${generation} in a deleted space`,
      );
    });
  });
}

export function oneSourceForEachCreate({ history, sources, artifacts }: FinalState): string[] {
  const promotions = history.others.filter((one) => one.action === 'promote artifact' && one.acceptance !== 'rejected');
  const promoted = new Set([
    ...promotions.map(({ responseId }) => responseId),
    ...artifacts.map(({ promotedSourceId }) => promotedSourceId),
  ]);
  const unknown = promotions.filter(({ acceptance }) => acceptance === 'unknown').length;
  const unasked = sources.filter(({ id, marker }) => !history.sources.has(marker) && !promoted.has(id));
  const byMarker = Map.groupBy(sources, ({ marker }) => marker);
  const twice = [...history.sources.keys()].flatMap((marker) => {
    const made = byMarker.get(marker) ?? [];
    return made.length > 1 ? [`${marker} was made ${made.length} times: ${made.map(({ id }) => id)}`] : [];
  });
  const respondedTwice = [...history.sources.values()]
    .filter(({ ids }) => ids.size > 1)
    .map(({ marker, ids }) => `creates of ${marker} returned several ids: ${[...ids]}`);
  // The artifact of a promotion without a response may have been removed.
  return unasked.length > unknown
    ? [...twice, ...respondedTwice, `sources without a create: ${unasked.map(({ id, marker }) => `${id} (${marker})`)}`]
    : [...twice, ...respondedTwice];
}
