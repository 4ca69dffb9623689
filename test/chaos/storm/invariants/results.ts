/** Invariants of results: they belong to one version of the content, and to the expected one. */
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
      : [`${id} last completed generation ${completed}, but shows results, context and artifacts of ${of.slice(1)}`];
  });
}

/** Markdown, context, chunks and artifacts have the same tokens, also in restored sources. */
export function resultsOfOneVersion({ history, sources }: FinalState): string[] {
  return sources.flatMap((source) => {
    const { id, marker, shown, results, content, generations, resultGeneration } = source;
    const known = history.sources.get(marker);
    if (known === undefined || shown?.resultGeneration == null) return [];
    if (results === null) return [`${id} (${marker}) has completed, but its results cannot be read`];
    const { markdown, chunks, context, artifacts, kinds } = results;
    const wrong: string[] = [];
    const list = markdown.join(' ');
    if (chunks.join(' ') !== list) wrong.push(`the chunks have ${chunks}, the Markdown ${list}`);
    if (context.some((token) => !markdown.includes(token))) wrong.push(`the context has ${context}, not ${list}`);
    if (artifacts.toSorted().join() !== markdown.toSorted().join()) {
      wrong.push(`the artifacts have ${artifacts}, not ${list}`);
    }
    for (const [kind, count] of Object.entries(artifactsOfText)) {
      const found = kinds[kind] ?? 0;
      if (found !== markdown.length * count) wrong.push(`${found} artifacts of the kind ${kind} for ${list}`);
    }
    const newest = generations.at(-1);
    if (newest?.generation === resultGeneration && known.type !== 'CONTENT' && content.join(' ') !== list) {
      wrong.push(`the stored content has ${content}, the Markdown ${list}`);
    }
    return wrong.map((text) => `${id} (${marker}): ${text}`);
  });
}

interface Case {
  state: FinalState;
  source: SourceState;
  known: KnownSource;
  /** The result generation, and the generation that fetched its content. */
  result: GenerationState;
  fetched: GenerationState | undefined;
  markdown: string[];
}

function wrongText({ state: { history }, source, result, markdown, known }: Case): string | null {
  const expected = dataOf(history, source, result.generation).map(({ version }) => tokenOf(known.marker, version ?? 0));
  return expected.includes(markdown.join()) ? null : `its results have ${markdown}, its data ${expected}`;
}

/** The results must be of the page at the URL that was sent, served while the generation that stored it was open. */
function wrongPage({ state: { served, history }, source, fetched, result, markdown }: Case): string | null {
  const token = markdown.join();
  const page = served.find(({ marker, version }) => tokenOf(marker, version) === token);
  const addresses = dataOf(history, source, result.generation).map(({ sent }) => sent);
  if (page === undefined || markerOf(token) !== source.marker) return `its results have ${token}`;
  if (!addresses.includes(page.url)) return `${token} was served at ${page.url}, but the source's URL is ${addresses}`;
  const isOpen = fetched !== undefined && page.at >= fetched.createdAt && page.at <= (fetched.finishedAt ?? 0);
  return isOpen ? null : `${token} was served while generation ${fetched?.generation}, which stored it, was closed`;
}

/** An API may be paused for this time between its check of the file and the write of the generation. */
const CLAIM_MS = 20_000;

/** The results must be of a file under the key that was sent, not older than the last upload before the generation. */
function wrongFile({ state: { history }, source, fetched, result, markdown, known }: Case): string | null {
  const token = markdown.join();
  const keys = dataOf(history, source, result.generation).map(({ sent }) => sent);
  const puts = history.others.filter(({ action, subject }) => action === 'upload again' && keys.includes(subject));
  const found = puts.find(({ detail }) => tokenOf(known.marker, Number(detail)) === token);
  if (found === undefined) return `its results have ${token}, its uploads are ${puts.map(({ detail }) => detail)}`;
  if (fetched === undefined || found.sentAt > (fetched.finishedAt ?? 0)) return `${token} was uploaded after the fetch`;
  const begun = originOf(source, fetched).createdAt - CLAIM_MS;
  const before = puts.filter(
    ({ acceptance, respondedAt }) => acceptance === 'accepted' && (respondedAt ?? begun) < begun,
  );
  const newest = Math.max(0, ...before.map(({ detail }) => Number(detail)));
  return versionOf(token) >= newest ? null : `its results have ${token}, but version ${newest} was uploaded before`;
}

/** Returns the requested generation that a recovery repeats, or the generation itself. */
function originOf({ generations }: SourceState, generation: GenerationState): GenerationState {
  const requested = generations.filter((one) => one.generation <= generation.generation && one.trigger !== 'recovery');
  return requested.at(-1) ?? generation;
}

/** The results must have all members in order, except those that are reported as skipped for a true reason. */
function wrongMembers({ state, source, result, markdown, known }: Case): string | null {
  const { history, sources } = state;
  // Includes purged members, and those whose create a failover may have lost.
  const markerById = new Map(
    history.requests.flatMap(({ response, marker }) => (response === null ? [] : [[response.id, marker] as const])),
  );
  for (const { id, marker } of sources) markerById.set(id, marker);
  const skipped = result.skippedMembers.map(({ id, code }) => ({ id, code, marker: markerById.get(id) ?? id }));
  if (skipped.length > 0 && !known.skips) return `it skipped ${skipped.map(({ marker }) => marker)} without permission`;
  for (const { id, code, marker } of skipped) {
    const member = sources.find((one) => one.id === id);
    const outcomes = member?.generations.map(({ outcome }) => outcome) ?? [];
    const hasReason =
      isDeletedOnce(history, marker) ||
      (code === 'member_failed' && outcomes.includes('FAILED')) ||
      (code === 'member_canceled' && outcomes.includes('CANCELED'));
    if (!hasReason) return `it skipped ${marker} as ${code}, which was never true`;
  }
  const left = new Set(skipped.map(({ marker }) => marker));
  const expected = dataOf(history, source, result.generation).map(({ members }) =>
    members.filter((marker) => !left.has(marker)).join(),
  );
  const found = markdown.map(markerOf).join();
  return expected.includes(found)
    ? null
    : `it consists of ${found || 'nothing'}, its members are ${expected.join(' or ')} (skipped: ${[...left]})`;
}

const wrongContent = { CONTENT: wrongText, URI: wrongPage, FILE: wrongFile, COMPOSITION: wrongMembers };

/** Results belong to the last data that was sent before their generation: text, page, file or members. */
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
