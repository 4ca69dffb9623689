import { defineEntity, p } from '@mikro-orm/postgresql';
import { Space } from './space.ts';
import { User } from './user.ts';

/** A part of the sums of what an owner uses; triggers keep them. Those of uploads belong to no space. */
export const UsagePart = defineEntity({
  name: 'UsagePart',
  tableName: 'usage_parts',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade'),
    spaceId: () => p.manyToOne(Space).mapToPk().fieldName('space_id').deleteRule('cascade').nullable().index(),
    /** That are not deleted themselves; a deleted space's do not count. */
    sources: p.bigint('number'),
    storedBytes: p.bigint('number'),
  },
  indexes: [{ properties: ['ownerId', 'spaceId'] }],
});
