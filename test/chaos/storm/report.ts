/** The table that tells what a storm did. */

import type { Evidence } from './evidence.ts';
import { actions, type Ledger } from './ledger.ts';
import type { Happenings } from './weather.ts';

function countBy<T>(list: readonly T[], name: (item: T) => string): [string, number][] {
  return [...Map.groupBy(list, name)].map(([key, items]): [string, number] => [key, items.length]).toSorted();
}

const inWords = (counts: readonly [string, number][]) => counts.map(([name, count]) => `${name} ${count}`).join(', ');

/** The types of sources that were made at least once. */
function typesMade(ledger: Ledger): string[] {
  const made = [...ledger.sources.values()].filter(({ ids }) => ids.size > 0);
  return [...new Set(made.map(({ type }) => type))].toSorted();
}

/** Lines of what was done and what came of it. */
export function tell(evidence: Evidence, happenings: Happenings, settledMs: number): string[] {
  const { ledger, sources, received, seen, served, objects } = evidence;
  const generations = sources.flatMap((source) => source.generations);
  const lines: [string, string][] = [
    ...actions.map((action): [string, string] => {
      return [
        action,
        inWords(
          countBy(
            ledger.requests.filter((one) => one.action === action),
            ({ verdict }) => verdict,
          ),
        ),
      ];
    }),
    ['weather', inWords([...happenings].filter(([name]) => !name.startsWith('start ')).toSorted())],
    [
      'sources',
      `${sources.length} of ${typesMade(ledger).join(', ')}; ${inWords(countBy(sources, (one) => one.status))}`,
    ],
    ['generations', inWords(countBy(generations, ({ outcome }) => outcome ?? 'open'))],
    ['begun by', inWords(countBy(generations, ({ trigger }) => trigger))],
    ['pages served', String(served.length)],
    [
      'postbacks',
      `${received.length} requests of ${new Set(received.map(({ headers }) => headers['webhook-id'])).size} webhook-ids; ` +
        inWords(countBy(received, ({ answered }) => String(answered))),
    ],
    ['states seen', String(seen.reduce((sum, { states }) => sum + states.length, 0))],
    ['objects kept', String(objects.length)],
    ['settled after', `${(settledMs / 1_000).toFixed(1)} s`],
  ];
  return lines.map(([name, text]) => `  ${name.padEnd(14)} ${text}`);
}
