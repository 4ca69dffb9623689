import { defineEntity, p } from '@mikro-orm/postgresql';
import { Space } from './space.ts';

export const Collection = defineEntity({
  name: 'Collection',
  tableName: 'collections',
  properties: {
    id: p.uuid().primary(),
    spaceId: () => p.manyToOne(Space).mapToPk().fieldName('space_id').deleteRule('cascade'),
    /** In the same space: see the composite foreign key in the migrations. */
    parentId: p.uuid().nullable().check('parent_id <> id').index(),
    name: p.text().check('char_length(name) between 1 and 200'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'collections_space_id_unique', properties: ['spaceId', 'id'] }],
});
