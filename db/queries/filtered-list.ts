/**
 * Pages of filtered lists. Each combination of filters has its own statement: a condition like "null or equal" would be
 * planned once for all values and use no index.
 */
import { type Statement, statement } from '../sql.ts';

/** Pages have at most 100 items, and one more is read. A constant, so the planner knows that few rows are needed. */
export const MAX_ROWS = 101;

export interface Condition {
  /** Part of the statement's name. */
  name: string;
  /** The SQL; `next` returns the placeholder of the next value. */
  sql(next: () => string): string;
  values: unknown[];
  /** Not a filter: it does not influence which index serves the list. */
  always?: true;
}

/** A condition such as `s.status = $1` (`left` includes the operator); none for an undefined value. */
export function comparison(name: string, left: string, value: unknown): Condition[] {
  return value === undefined ? [] : [{ name, sql: (next) => `${left} ${next()}`, values: [value] }];
}

/**
 * Returns a function that creates the statements of a list on first use. `textOf` builds the query from the conditions;
 * the page's length is its last placeholder. `plannedByValues` returns whether the best index for a combination of
 * filters (`space-kind`) depends on their values; other combinations are prepared.
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
