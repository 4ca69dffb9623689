/** Report of a chaos run: counts of requests, faults and observed results. */
import type { FinalState } from './final-state.ts';
import { sourceActions } from './history.ts';

function countBy<T>(list: readonly T[], name: (item: T) => string): [string, number][] {
  return [...Map.groupBy(list, name)].map(([key, items]): [string, number] => [key, items.length]).toSorted();
}

const formatCounts = (counts: readonly [string, number][]) =>
  counts.map(([name, count]) => `${name} ${count}`).join(', ');

/** Returns the lines of the report. */
export function reportLines(state: FinalState, counts: ReadonlyMap<string, number>, endedMs: number): string[] {
  const { history, sources, received, served, objects, objectsBefore, faults, seen } = state;
  const generations = sources.flatMap((source) => source.generations);
  const recoveries = generations.filter(({ trigger }) => trigger === 'recovery');
  const webhookIds = new Set(received.map(({ headers }) => headers['webhook-id'])).size;
  const count = (name: string) => String(counts.get(name) ?? 0);
  const others = Map.groupBy(history.others, ({ action }) => action);
  const lines: [string, string][] = [
    ...sourceActions.map((action): [string, string] => {
      const requested = history.requests.filter((one) => one.action === action);
      return [action, formatCounts(countBy(requested, ({ acceptance }) => acceptance))];
    }),
    ...[...others].map(([action, list]): [string, string] => [
      action,
      formatCounts(countBy(list, (one) => one.acceptance)),
    ]),
    ['faults injected', formatCounts([...faults].toSorted())],
    [
      'sources',
      `${sources.length}: ${formatCounts(countBy(sources, (one) => one.status))}; ${count('sources purged')} purged`,
    ],
    ['types', formatCounts(countBy([...history.sources.values()], (one) => one.type))],
    ['generations', formatCounts(countBy(generations, ({ outcome }) => outcome ?? 'open'))],
    ['triggers', formatCounts(countBy(generations, ({ trigger }) => trigger))],
    ['error codes', formatCounts(countBy(generations, ({ errorCode }) => errorCode ?? 'none'))],
    ['recovery causes', formatCounts(countBy(recoveries, ({ cause }) => cause ?? 'none'))],
    ['pages served', String(served.length)],
    ['postbacks', `${received.length} requests with ${webhookIds} webhook-ids`],
    ['postback responses', formatCounts(countBy(received, ({ responseStatus }) => String(responseStatus)))],
    ['states observed', `${count('states seen')} in ${seen.length} sequences`],
    ['mails', count('mails received')],
    ['objects', `${objectsBefore.length} before "objects collect", ${objects.length} after it`],
    ['nothing pending', `after ${(endedMs / 1_000).toFixed(1)} s`],
  ];
  return lines.map(([name, text]) => `  ${name.padEnd(18)} ${text}`);
}
