/** Results are of one version of the content, and of the one that they should be of. */
import type { FinalState, GenerationState, SourceState } from '../final-state.ts';
import type { KnownSource } from '../history.ts';
import { artifactsOfText, markerOf, tokenOf, versionOf } from '../text.ts';
import { dataOf } from './data.ts';
import { isDeletedOnce } from './sources.ts';

export function newestResults({ sources }: FinalState): string[] {
  return sources.flatMap(({ id, generations, resultGeneration, shown }) => {
    const completed = generations.filter(({ outcome }) => outcome === 'COMPLETED').at(-1)?.generation ?? null;
    const of = [resultGeneration, shown?.resultGeneration, shown?.contextGeneration, shown?.artifactsGeneration];
    return of.every((generation) => generation === completed)
      ? []
      : [`${id} last completed generation ${completed} and shows results, context and artifacts of ${of.slice(1)}`];
  });
}

/** Markdown, context, chunks and artifacts are of the same versions; restored sources are no exception. */
export function resultsOfOneVersion({ history, sources }: FinalState): string[] {
  return sources.flatMap((source) => {
    const { id, marker, shown, results, content, generations, resultGeneration } = source;
    const known = history.sources.get(marker);
    if (known === undefined || shown?.resultGeneration == null) return [];
    if (results === null) return [`${id} (${marker}) has completed, and its results cannot be read`];
    const { markdown, chunks, context, artifacts, kinds } = results;
    const wrong: string[] = [];
    const list = markdown.join(' ');
    if (chunks.join(' ') !== list) wrong.push(`its chunks are of ${chunks}, its Markdown of ${list}`);
    if (context.some((token) => !markdown.includes(token))) wrong.push(`its context is of ${context}`);
    if (artifacts.toSorted().join() !== markdown.toSorted().join()) wrong.push(`its artifacts are of ${artifacts}`);
    for (const [kind, count] of Object.entries(artifactsOfText)) {
      const found = kinds[kind] ?? 0;
      if (found !== markdown.length * count) wrong.push(`it has ${found} artifacts of the kind ${kind} for ${list}`);
    }
    const newest = generations.at(-1);
    if (newest?.generation === resultGeneration && known.type !== 'CONTENT' && content.join(' ') !== list) {
      wrong.push(`its stored content is of ${content}, its Markdown of ${list}`);
    }
    return wrong.map((text) => `${id} (${marker}): ${text}`);
  });
}

interface Case {
  state: FinalState;
  source: SourceState;
  known: KnownSource;
  /** The shown generation, and the one that fetched its content. */
  result: GenerationState;
  fetched: GenerationState | undefined;
  markdown: string[];
}

function wrongText({ state: { history }, source, result, markdown, known }: Case): string | null {
  const expected = dataOf(history, source, result.generation).map(({ version }) => tokenOf(known.marker, version ?? 0));
  return expected.includes(markdown.join()) ? null : `its results are of ${markdown}, its data of ${expected}`;
}

/** The page of the address that was sent, as it was while the generation that stored it was open. */
function wrongPage({ state: { served, history }, source, fetched, result, markdown }: Case): string | null {
  const token = markdown.join();
  const page = served.find(({ marker, version }) => tokenOf(marker, version) === token);
  const addresses = dataOf(history, source, result.generation).map(({ sent }) => sent);
  if (page === undefined || markerOf(token) !== source.marker) return `its results are of ${token}`;
  if (!addresses.includes(page.url)) return `${token} was served at ${page.url}, its address is ${addresses}`;
  const isOpen = fetched !== undefined && page.at >= fetched.createdAt && page.at <= (fetched.finishedAt ?? 0);
  return isOpen ? null : `${token} was served while generation ${fetched?.generation}, which stored it, was not open`;
}

/** A claim may look at the file so long before its generation is written: an API was paused between the two. */
const CLAIM_MS = 20_000;

/** A file that lay under the key that was sent, not older than the one that was there before the generation. */
function wrongFile({ state: { history }, source, fetched, result, markdown, known }: Case): string | null {
  const token = markdown.join();
  const keys = dataOf(history, source, result.generation).map(({ sent }) => sent);
  const puts = history.others.filter(({ action, subject }) => action === 'upload again' && keys.includes(subject));
  const found = puts.find(({ detail }) => tokenOf(known.marker, Number(detail)) === token);
  if (found === undefined) return `its results are of ${token}, its files of ${puts.map(({ detail }) => detail)}`;
  if (fetched === undefined || found.sentAt > (fetched.finishedAt ?? 0)) return `${token} was put after it was fetched`;
  const begun = originOf(source, fetched).createdAt - CLAIM_MS;
  const before = puts.filter(({ verdict, answeredAt }) => verdict === 'accepted' && (answeredAt ?? begun) < begun);
  const newest = Math.max(0, ...before.map(({ detail }) => Number(detail)));
  return versionOf(token) >= newest ? null : `its results are of ${token}, and version ${newest} was there before`;
}

/** The generation of a request that a recovery carries out. */
function originOf({ generations }: SourceState, generation: GenerationState): GenerationState {
  const asked = generations.filter((one) => one.generation <= generation.generation && one.trigger !== 'recovery');
  return asked.at(-1) ?? generation;
}

/** All members in their order, but those that are named as left out for a reason that there was. */
function wrongMembers({ state, source, result, markdown, known }: Case): string | null {
  const { history, sources } = state;
  // Also of those whose create a failover may have lost, and has not, and of those that are purged.
  const markerById = new Map(
    history.requests.flatMap(({ answer, marker }) => (answer === null ? [] : [[answer.id, marker] as const])),
  );
  for (const { id, marker } of sources) markerById.set(id, marker);
  const skipped = result.skippedMembers.map(({ id, code }) => ({ id, code, marker: markerById.get(id) ?? id }));
  if (skipped.length > 0 && !known.skips) return `it left out ${skipped.map(({ marker }) => marker)} without leave`;
  for (const { id, code, marker } of skipped) {
    const member = sources.find((one) => one.id === id);
    const outcomes = member?.generations.map(({ outcome }) => outcome) ?? [];
    const hasReason =
      isDeletedOnce(history, marker) ||
      (code === 'member_failed' && outcomes.includes('FAILED')) ||
      (code === 'member_canceled' && outcomes.includes('CANCELED'));
    if (!hasReason) return `it left out ${marker} as ${code}, which it never was`;
  }
  const left = new Set(skipped.map(({ marker }) => marker));
  const expected = dataOf(history, source, result.generation).map(({ members }) =>
    members.filter((marker) => !left.has(marker)).join(),
  );
  const found = markdown.map(markerOf).join();
  return expected.includes(found)
    ? null
    : `it consists of ${found || 'nothing'}, its members are ${expected.join(' or ')} (left out: ${[...left]})`;
}

const wrongContent = { CONTENT: wrongText, URI: wrongPage, FILE: wrongFile, COMPOSITION: wrongMembers };

/** Results are of the data that was sent last before their generation: text, page, file or members. */
export function resultsOfTheRightContent(state: FinalState): string[] {
  return state.sources.flatMap((source) => {
    const { id, marker, results, resultGeneration, generations } = source;
    const known = state.history.sources.get(marker);
    const result = generations.find(({ generation }) => generation === resultGeneration);
    if (known === undefined || results === null || result === undefined) return [];
    const fetched = generations.find(({ generation }) => generation === result.contentGeneration);
    const wrong = wrongContent[known.type]({
      ...{ state, source, known, result, fetched, markdown: results.markdown },
    });
    return wrong === null ? [] : [`${id} (${marker}): ${wrong}`];
  });
}
