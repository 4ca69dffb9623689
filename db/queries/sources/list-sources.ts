/** Pages of sources. */
import { isOpen, type SourceStatus, type SourceType } from '../../../contract/statuses.ts';
import { containing, query, type Session, type Statement } from '../../sql.ts';
import { type Condition, comparison, filteredList, MAX_ROWS } from '../filtered-list.ts';
import { listedColumns, type SourceRow, sourceJoins } from './read-sources.ts';

export interface SourcePosition {
  pinned: boolean;
  createdAt: string;
  id: string;
}

/** Filters of a list of sources; undefined ones do not filter. */
export interface SourceFilters {
  spaceId: string;
  collectionId?: string | undefined;
  status?: SourceStatus | undefined;
  type?: SourceType | undefined;
  pinned?: boolean | undefined;
  externalId?: string | undefined;
  /** Substring of the name, case-insensitive. */
  q?: string | undefined;
  /** Sources that can be restored instead of live ones. */
  deleted?: 'only' | undefined;
}

/** Condition on the index of status groups; an end status is a group of its own. */
function ofStatus(status: SourceStatus | undefined): Condition[] {
  if (status === undefined) return [];
  if (!isOpen(status)) return comparison('end', 's.status_group =', status);
  return [{ name: 'open', sql: (next) => `s.status_group = 'OPEN' and s.status = ${next()}`, values: [status] }];
}

function conditionsOf(filters: SourceFilters, after: SourcePosition | null): Condition[] {
  const { spaceId, collectionId, status, type, pinned, externalId, q, deleted } = filters;
  const conditions: Condition[] = [
    ...comparison('space', 's.space_id =', spaceId),
    ...comparison('coll', 's.collection_id =', collectionId),
    ...ofStatus(status),
    ...comparison('type', 's.type =', type),
    ...comparison('pin', 's.pinned =', pinned),
    ...comparison('ext', 's.external_id =', externalId),
    ...comparison('q', 's.name ilike', q === undefined ? undefined : containing(q)),
  ];
  if (after !== null) {
    conditions.push({
      name: 'after',
      sql: (next) => `(s.pinned, s.created_at, s.id) < (${next()}, ${next()}, ${next()})`,
      values: [after.pinned, after.createdAt, after.id],
      always: true,
    });
  }
  const liveness = deleted ? 's.deleted_at is not null and s.purging_at is null' : 's.deleted_at is null';
  return [...conditions, { name: deleted ? 'del' : 'live', sql: () => liveness, values: [], always: true }];
}

const order = 'order by s.pinned desc, s.created_at desc, s.id desc';

const statementOf = filteredList<SourceRow>(
  'list-sources',
  // Every combination is served in the order of the list by an index that begins with the space.
  () => false,
  (where, next) => `select ${listedColumns} from (
     select * from (select * from sources s where ${where} ${order} limit ${MAX_ROWS}) first limit ${next()}
   ) s ${sourceJoins} ${order}`,
);

/** The statement for a page, and its values without the last one, the page's length. */
export function listSourcesStatement(
  filters: SourceFilters,
  after: SourcePosition | null,
): { statement: Statement<SourceRow>; values: unknown[] } {
  return statementOf(conditionsOf(filters, after));
}

/** A page of a space's sources, pinned first, then the newest, at most 101. The caller has checked the owner. */
export async function listSources(
  session: Session,
  filters: SourceFilters,
  { limit, after }: { limit: number; after: SourcePosition | null },
): Promise<SourceRow[]> {
  const { statement: page, values } = listSourcesStatement(filters, after);
  return query(session, page, [...values, limit]);
}
