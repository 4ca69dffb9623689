import type { Evidence, SourceEvidence } from '../evidence.ts';
import { LINKS, markerOf, tokensIn } from '../text.ts';

export function newestResults({ sources }: Evidence): string[] {
  return sources.flatMap(({ id, generations, resultGeneration, shown }) => {
    const completed = generations.filter(({ outcome }) => outcome === 'COMPLETED').at(-1)?.generation ?? null;
    const of = [resultGeneration, shown?.resultGeneration, shown?.contextGeneration, shown?.artifactsGeneration];
    return of.every((generation) => generation === completed)
      ? []
      : [`${id} last completed generation ${completed} and shows results, context and artifacts of ${of.slice(1)}`];
  });
}

/** Markdown, context, chunks and artifacts speak of the same versions, and of those that they should. */
export function resultsOfOneVersion({ ledger, sources, served }: Evidence): string[] {
  const servedAt = new Map(served.map(({ marker, version, at }) => [`${marker}v${version}`, at]));
  return sources.flatMap((source) => {
    const { id, marker, shown, results, content, generations, resultGeneration } = source;
    if (shown === null || shown.deletedAt !== null || shown.resultGeneration === null) return [];
    if (results === null) return [`${id} (${marker}) has completed, and its results cannot be read`];
    const known = ledger.sources.get(marker);
    if (known === undefined) return [];
    const expected = known.type === 'COMPOSITION' ? subsequence(known.members) : (of: string[]) => of.join() === marker;
    const { markdown, chunks, context, artifacts, links } = results;
    const wrong: string[] = [];
    const list = markdown.join(' ');
    if (!expected(markdown.map(markerOf))) wrong.push(`its Markdown is of ${list}`);
    if (chunks.join(' ') !== list) wrong.push(`its chunks are of ${chunks}, its Markdown of ${list}`);
    if (context.some((token) => !markdown.includes(token))) wrong.push(`its context is of ${context}`);
    if (artifacts.toSorted().join() !== markdown.toSorted().join()) wrong.push(`its artifacts are of ${artifacts}`);
    if (links !== markdown.length * LINKS) wrong.push(`it has ${links} links for ${list}`);
    const newest = generations.at(-1);
    if (newest?.generation === resultGeneration && known.type !== 'CONTENT' && content.join(' ') !== list) {
      wrong.push(`its stored content is of ${content}, its Markdown of ${list}`);
    }
    wrong.push(...wrongVersion(source, known.type, list, servedAt));
    return wrong.map((what) => `${id} (${marker}): ${what}`);
  });
}

/** What was pasted last, or what was served while the generation that stored it was open. */
function wrongVersion(
  { generations, resultGeneration, shown }: SourceEvidence,
  type: string,
  token: string,
  servedAt: ReadonlyMap<string, number>,
): string[] {
  const result = generations.find(({ generation }) => generation === resultGeneration);
  if (type === 'CONTENT' && result === generations.at(-1)) {
    const pasted = tokensIn(String(shown?.initial_data.data)).join();
    return pasted === token ? [] : [`its results are of ${token}, its data of ${pasted}`];
  }
  if (type !== 'URI') return [];
  const fetched = generations.find(({ generation }) => generation === result?.contentGeneration);
  const at = servedAt.get(token) ?? 0;
  const open = fetched !== undefined && at >= fetched.createdAt && at <= (fetched.finishedAt ?? 0);
  return open ? [] : [`${token} was served while generation ${fetched?.generation}, which stored it, was not open`];
}

/** Members that are left out are missing; the others stand in their order. */
function subsequence(members: readonly string[]) {
  return (markers: readonly string[]): boolean => {
    const places = markers.map((marker) => members.indexOf(marker));
    return places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1));
  };
}
