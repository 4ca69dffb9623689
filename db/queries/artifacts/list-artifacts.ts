/** Pages of artifacts. */
import { containing, query, type Session, type Statement } from '../../sql.ts';
import { type Condition, comparison, filteredList, MAX_ROWS } from '../filtered-list.ts';
import { type ArtifactRow, listedArtifactColumns } from './read-artifacts.ts';

/** At least one of the two ids is given. */
export interface ArtifactFilters {
  spaceId?: string | undefined;
  sourceId?: string | undefined;
  kind?: ArtifactRow['kind'] | undefined;
  status?: ArtifactRow['status'] | undefined;
  /** Substring of the title, case-insensitive. */
  q?: string | undefined;
}

/** The last item of a page. */
export interface ArtifactPosition {
  createdAt: string;
  id: string;
}

function conditionsOf(filters: ArtifactFilters, after: ArtifactPosition | null): Condition[] {
  const { spaceId, sourceId, kind, status, q } = filters;
  const conditions: Condition[] = [
    ...comparison('space', 'a.space_id =', spaceId),
    ...comparison('source', 'a.source_id =', sourceId),
    ...comparison('kind', 'a.kind =', kind),
    ...comparison('status', 'a.status =', status),
    ...comparison('q', 'a.title ilike', q === undefined ? undefined : containing(q)),
  ];
  if (after !== null) {
    conditions.push({
      name: 'after',
      sql: (next) => `(a.created_at, a.id) < (${next()}::timestamptz, ${next()}::uuid)`,
      values: [after.createdAt, after.id],
      always: true,
    });
  }
  return conditions;
}

const order = 'order by a.created_at desc, a.id desc';

// The artifacts of a deleted source are hidden with it. The inner limit is a constant, known to the planner.
const statementOf = filteredList<ArtifactRow>(
  'list-artifacts',
  (filters) => !['space', 'source', 'space-source', 'space-kind', 'space-status'].includes(filters),
  (where, next) => `select ${listedArtifactColumns} from (
     select a.* from artifacts a
     where ${where} and exists (select from sources s where s.id = a.source_id and s.deleted_at is null)
     ${order} limit ${MAX_ROWS}
   ) a ${order} limit ${next()}`,
);

/** The statement for a page, and its values without the last one, the page's length. */
export function listArtifactsStatement(
  filters: ArtifactFilters,
  after: ArtifactPosition | null,
): { statement: Statement<ArtifactRow>; values: unknown[] } {
  return statementOf(conditionsOf(filters, after));
}

/** A page of artifacts, the newest first, at most 101. The caller has checked the owner of the space or source. */
export async function listArtifacts(
  session: Session,
  filters: ArtifactFilters,
  { limit, after }: { limit: number; after: ArtifactPosition | null },
): Promise<ArtifactRow[]> {
  const { statement: page, values } = listArtifactsStatement(filters, after);
  return query(session, page, [...values, limit]);
}
