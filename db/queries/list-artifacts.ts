/**
 * Pages of artifacts. Each set of used filters has a statement of its own: a condition like "null or equal" would be
 * planned once for all of them, and none would have its index.
 */
import { containing, query, type Session, type Statement, statement } from '../sql.ts';
import { type ArtifactRow, artifactColumns } from './read-artifacts.ts';

/** One of the two ids is always given. */
export interface ArtifactFilters {
  spaceId?: string | undefined;
  sourceId?: string | undefined;
  kind?: ArtifactRow['kind'] | undefined;
  status?: ArtifactRow['status'] | undefined;
  /** Inside the title. */
  q?: string | undefined;
}

/** Where a page ended. */
export interface ArtifactPosition {
  createdAt: string;
  id: string;
}

/** A page of 100 and the row that tells whether there is more. */
const MOST_ROWS = 101;

interface Condition {
  name: string;
  sql: (next: () => string) => string;
  values: unknown[];
}

function conditionsOf(filters: ArtifactFilters, after: ArtifactPosition | null): Condition[] {
  const columns = {
    space: ['a.space_id =', filters.spaceId],
    source: ['a.source_id =', filters.sourceId],
    kind: ['a.kind =', filters.kind],
    status: ['a.status =', filters.status],
    q: ['a.title ilike', filters.q === undefined ? undefined : containing(filters.q)],
  } as const;
  const conditions: Condition[] = Object.entries(columns).flatMap(([name, [sql, value]]) =>
    value === undefined ? [] : [{ name, sql: (next) => `${sql} ${next()}`, values: [value] }],
  );
  if (after !== null) {
    conditions.push({
      name: 'after',
      sql: (next) => `(a.created_at, a.id) < (${next()}::timestamptz, ${next()}::uuid)`,
      values: [after.createdAt, after.id],
    });
  }
  return conditions;
}

/** Filters that an index answers in the order of the list, whatever their values are. */
const indexed = new Set(['space', 'source', 'space-source', 'space-kind', 'space-status']);

const statements = new Map<string, Statement<ArtifactRow>>();

/** The statement for a page and its values, the page's length last. */
export function listArtifactsStatement(
  filters: ArtifactFilters,
  after: ArtifactPosition | null,
): { statement: Statement<ArtifactRow>; values: unknown[] } {
  const conditions = conditionsOf(filters, after);
  const values = conditions.flatMap((condition) => condition.values);
  const used = conditions.map((condition) => condition.name).join('-');
  const name = `list-artifacts-${used}`;
  const known = statements.get(name);
  if (known) return { statement: known, values };
  let count = 0;
  const next = () => {
    count += 1;
    return `$${count}`;
  };
  const where = conditions.map(({ sql }) => sql(next)).join(' and ');
  const order = 'order by a.created_at desc, a.id desc';
  // The artifacts of a deleted source are hidden with it. The inner limit is a number that the planner knows.
  const made = statement<ArtifactRow>(
    name,
    `select ${artifactColumns} from (
       select a.* from artifacts a
       where ${where} and exists (select from sources s where s.id = a.source_id and s.deleted_at is null)
       ${order} limit ${MOST_ROWS}
     ) a ${order} limit ${next()}`,
    // Of several filters, or of words in a title, it depends on the values which index leaves the fewest rows to look at.
    { plannedByValues: !indexed.has(used.replace(/-?after$/, '')) },
  );
  statements.set(name, made);
  return { statement: made, values };
}

/** A page of artifacts, the newest first; whose space or source it is was judged before. `limit` is at most 101. */
export async function listArtifacts(
  session: Session,
  filters: ArtifactFilters,
  { limit, after }: { limit: number; after: ArtifactPosition | null },
): Promise<ArtifactRow[]> {
  const { statement: page, values } = listArtifactsStatement(filters, after);
  return query(session, page, [...values, limit]);
}
