/** Pages of sources. */
import { isOpen, type SourceStatus, type SourceType } from '../../../contract/statuses.ts';
import { containing, query, type Session, type Statement } from '../../sql.ts';
import { type Condition, compared, filteredList, MAX_ROWS } from '../filtered-list.ts';
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

/** By the index of the groups; the group of a status that is an end has no other. */
function ofStatus(status: SourceStatus | undefined): Condition[] {
  if (status === undefined) return [];
  if (!isOpen(status)) return compared('end', 's.status_group =', status);
  return [{ name: 'open', sql: (next) => `s.status_group = 'OPEN' and s.status = ${next()}`, values: [status] }];
}

function conditionsOf(filters: SourceFilters, after: SourcePosition | null): Condition[] {
  const { spaceId, collectionId, status, type, pinned, externalId, q, deleted } = filters;
  const conditions: Condition[] = [
    ...compared('space', 's.space_id =', spaceId),
    ...compared('coll', 's.collection_id =', collectionId),
    ...ofStatus(status),
    ...compared('type', 's.type =', type),
    ...compared('pin', 's.pinned =', pinned),
    ...compared('ext', 's.external_id =', externalId),
    ...compared('q', 's.name ilike', q === undefined ? undefined : containing(q)),
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
  // Every set is served in the order of the list by an index that begins with the space.
  () => false,
  (where, next) => `select ${listedColumns} from (
     select * from (select * from sources s where ${where} ${order} limit ${MAX_ROWS}) first limit ${next()}
   ) s ${sourceJoins} ${order}`,
);

/** The statement for a page and its values, the page's length last. */
export function listSourcesStatement(
  filters: SourceFilters,
  after: SourcePosition | null,
): { statement: Statement<SourceRow>; values: unknown[] } {
  return statementOf(conditionsOf(filters, after));
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
