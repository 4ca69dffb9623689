import { defineEntity, p } from '@mikro-orm/postgresql';

/** The id of a purged source, space or user. Its executions are searched again later, since visibility lags. */
export const Tombstone = defineEntity({
  name: 'Tombstone',
  tableName: 'tombstones',
  properties: {
    of: p.enum(['source', 'space', 'user']).primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).defaultRaw('now()').index(),
  },
});
