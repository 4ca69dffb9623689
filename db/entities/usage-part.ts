import { defineEntity, p } from '@mikro-orm/postgresql';
import { Space } from './space.ts';
import { User } from './user.ts';

/** A summand of an owner's usage, written by triggers. Summands of uploads have no space. */
export const UsagePart = defineEntity({
  name: 'UsagePart',
  tableName: 'usage_parts',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade'),
    spaceId: () => p.manyToOne(Space).mapToPk().fieldName('space_id').deleteRule('cascade').nullable().index(),
    /** Sources that are not deleted; the rows of a deleted space do not count. */
    sources: p.bigint('number'),
    storedBytes: p.bigint('number'),
  },
  indexes: [{ properties: ['ownerId', 'spaceId'] }],
});
