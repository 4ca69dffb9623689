import { defineEntity, p } from '@mikro-orm/postgresql';

/** What was removed for good a while ago: executions of it that Temporal began or showed late are looked for once more. */
export const Tombstone = defineEntity({
  name: 'Tombstone',
  tableName: 'tombstones',
  properties: {
    of: p.enum(['source', 'space', 'user']).primary(),
    id: p.uuid().primary(),
    createdAt: p.datetime(3).defaultRaw('now()').index(),
  },
});
