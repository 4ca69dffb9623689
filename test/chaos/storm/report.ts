/** The report of a storm: what it did, what it saw, what it violated. */
import type { FinalState } from './final-state.ts';
import { sourceActions } from './history.ts';

function countBy<T>(list: readonly T[], name: (item: T) => string): [string, number][] {
  return [...Map.groupBy(list, name)].map(([key, items]): [string, number] => [key, items.length]).toSorted();
}

const inWords = (counts: readonly [string, number][]) => counts.map(([name, count]) => `${name} ${count}`).join(', ');

/** Lines of what was done and what came of it. */
export function tableOf(state: FinalState, counts: ReadonlyMap<string, number>, endedMs: number): string[] {
  const { history, sources, received, served, objects, objectsBefore, faults, seen } = state;
  const generations = sources.flatMap((source) => source.generations);
  const recoveries = generations.filter(({ trigger }) => trigger === 'recovery');
  const webhookIds = new Set(received.map(({ headers }) => headers['webhook-id'])).size;
  const count = (name: string) => String(counts.get(name) ?? 0);
  const others = Map.groupBy(history.others, ({ action }) => action);
  const lines: [string, string][] = [
    ...sourceActions.map((action): [string, string] => {
      const asked = history.requests.filter((one) => one.action === action);
      return [action, inWords(countBy(asked, ({ verdict }) => verdict))];
    }),
    ...[...others].map(([action, list]): [string, string] => [action, inWords(countBy(list, (one) => one.verdict))]),
    ['faults', inWords([...faults].toSorted())],
    [
      'sources',
      `${sources.length}: ${inWords(countBy(sources, (one) => one.status))}; ${count('sources purged')} purged`,
    ],
    ['types', inWords(countBy([...history.sources.values()], (one) => one.type))],
    ['generations', inWords(countBy(generations, ({ outcome }) => outcome ?? 'open'))],
    ['triggers', inWords(countBy(generations, ({ trigger }) => trigger))],
    ['failures', inWords(countBy(generations, ({ errorCode }) => errorCode ?? 'none'))],
    ['recoveries', inWords(countBy(recoveries, ({ cause }) => cause ?? 'without a cause'))],
    ['pages served', String(served.length)],
    ['postbacks', `${received.length} requests of ${webhookIds} webhook-ids`],
    ['answered', inWords(countBy(received, ({ answered }) => String(answered)))],
    ['states seen', `${count('states seen')} in ${seen.length} sequences`],
    ['mails', count('mails received')],
    ['objects', `${objectsBefore.length} kept by the service, ${objects.length} after objects collect`],
    ['all at its end', `after ${(endedMs / 1_000).toFixed(1)} s`],
  ];
  return lines.map(([name, text]) => `  ${name.padEnd(18)} ${text}`);
}
