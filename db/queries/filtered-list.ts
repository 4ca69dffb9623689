/**
 * Pages that filters narrow. Each set of used filters has a statement of its own: a condition like "null or equal"
 * would be planned once for all values, and then use no index.
 */
import { type Statement, statement } from '../sql.ts';

/** Pages have at most 100 items, and one more is read. With a constant the planner knows that few rows are wanted. */
export const MAX_ROWS = 101;

export interface Condition {
  /** What the condition adds to the name of the statement. */
  name: string;
  /** `next` gives the placeholder of each of its values. */
  sql(next: () => string): string;
  values: unknown[];
  /** Not a filter: it changes nothing about which index serves the list. */
  always?: true;
}

/** A column and what it is compared with, as in `s.status =`; no condition where there is no value. */
export function compared(name: string, left: string, value: unknown): Condition[] {
  return value === undefined ? [] : [{ name, sql: (next) => `${left} ${next()}`, values: [value] }];
}

/**
 * Makes the statements of a list, each when it is first wanted. `textOf` puts the conditions into the query, and asks
 * for the placeholder of the page's length last. `plannedByValues` says of a set of filters (`space-kind`) whether it
 * depends on their values which index leaves the fewest rows to look at; the others are planned once.
 */
export function filteredList<Row>(
  prefix: string,
  plannedByValues: (filters: string) => boolean,
  textOf: (where: string, next: () => string) => string,
): (conditions: Condition[]) => { statement: Statement<Row>; values: unknown[] } {
  const statements = new Map<string, Statement<Row>>();
  return (conditions) => {
    const values = conditions.flatMap((condition) => condition.values);
    const name = [prefix, ...conditions.map((condition) => condition.name)].join('-');
    const known = statements.get(name);
    if (known) return { statement: known, values };
    let count = 0;
    const next = () => {
      count += 1;
      return `$${count}`;
    };
    const where = conditions.map(({ sql }) => sql(next)).join(' and ');
    const filters = conditions.flatMap((condition) => (condition.always ? [] : [condition.name])).join('-');
    const made = statement<Row>(name, textOf(where, next), { plannedByValues: plannedByValues(filters) });
    statements.set(name, made);
    return { statement: made, values };
  };
}
