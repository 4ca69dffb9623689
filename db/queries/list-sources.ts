/**
 * Pages of sources. Each set of used filters has a statement of its own: a condition like "null or equal" would be
 * planned once for all values, and then use no index.
 */
import type { SourceStatus, SourceType } from '../../contract/statuses.ts';
import { containing, query, type Session, type Statement, statement } from '../sql.ts';
import { listedColumns, type SourceRow, sourceJoins } from './read-sources.ts';

export interface SourcePosition {
  pinned: boolean;
  createdAt: string;
  id: string;
}

/** What a list of sources is narrowed to; what is left out narrows nothing. */
export interface SourceFilters {
  spaceId: string;
  collectionId?: string | undefined;
  status?: SourceStatus | undefined;
  type?: SourceType | undefined;
  pinned?: boolean | undefined;
  externalId?: string | undefined;
  /** Stands in the name, in whatever case. */
  q?: string | undefined;
  /** Sources that can be restored instead of live ones. */
  deleted?: 'only' | undefined;
}

/** Pages have at most 100 items, and one more is read. With a constant the planner knows that few rows are wanted. */
const MOST_ROWS = 101;

interface Condition {
  /** What the condition adds to the name of the statement. */
  name: string;
  sql(value: () => string): string;
  values: unknown[];
}

function equal(name: string, column: string, value: unknown): Condition[] {
  return value === undefined ? [] : [{ name, sql: (next) => `s.${column} = ${next()}`, values: [value] }];
}

function conditionsOf(filters: SourceFilters, after: SourcePosition | null): Condition[] {
  const { spaceId, collectionId, status, type, pinned, externalId, q, deleted } = filters;
  const conditions: Condition[] = [
    ...equal('space', 'space_id', spaceId),
    ...equal('coll', 'collection_id', collectionId),
    ...equal('stat', 'status', status),
    ...equal('type', 'type', type),
    ...equal('pin', 'pinned', pinned),
    ...equal('ext', 'external_id', externalId),
  ];
  if (q !== undefined) {
    conditions.push({ name: 'q', sql: (next) => `s.name ilike ${next()}`, values: [containing(q)] });
  }
  if (after !== null) {
    conditions.push({
      name: 'after',
      sql: (next) => `(s.pinned, s.created_at, s.id) < (${next()}, ${next()}, ${next()})`,
      values: [after.pinned, after.createdAt, after.id],
    });
  }
  const liveness = deleted ? 's.deleted_at is not null and s.purging_at is null' : 's.deleted_at is null';
  return [...conditions, { name: deleted ? 'del' : 'live', sql: () => liveness, values: [] }];
}

const statements = new Map<string, Statement<SourceRow>>();

/** The statement for a page and its values, the page's length last. */
export function listSourcesStatement(
  filters: SourceFilters,
  after: SourcePosition | null,
): { statement: Statement<SourceRow>; values: unknown[] } {
  const conditions = conditionsOf(filters, after);
  const values = conditions.flatMap((condition) => condition.values);
  const name = `list-sources-${conditions.map((condition) => condition.name).join('-')}`;
  const known = statements.get(name);
  if (known) return { statement: known, values };
  let count = 0;
  const next = () => {
    count += 1;
    return `$${count}`;
  };
  const where = conditions.map(({ sql }) => sql(next)).join(' and ');
  const order = 'order by s.pinned desc, s.created_at desc, s.id desc';
  const made = statement<SourceRow>(
    name,
    `select ${listedColumns} from (
       select * from (select * from sources s where ${where} ${order} limit ${MOST_ROWS}) first limit ${next()}
     ) s ${sourceJoins} ${order}`,
  );
  statements.set(name, made);
  return { statement: made, values };
}

/** A page of the sources of a space, pinned first, then the newest; whose it is was judged before. `limit` is at most 101. */
export async function listSources(
  session: Session,
  filters: SourceFilters,
  { limit, after }: { limit: number; after: SourcePosition | null },
): Promise<SourceRow[]> {
  const { statement: page, values } = listSourcesStatement(filters, after);
  return query(session, page, [...values, limit]);
}
