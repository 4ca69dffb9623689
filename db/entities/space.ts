import { defineEntity, p } from '@mikro-orm/postgresql';
import { User } from './user.ts';

export const Space = defineEntity({
  name: 'Space',
  tableName: 'spaces',
  properties: {
    id: p.uuid().primary(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade'),
    name: p.text().check('char_length(name) between 1 and 200'),
    description: p.text().default('').check('char_length(description) <= 10000'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'spaces_id_owner_unique', properties: ['id', 'ownerId'] }],
  indexes: [
    {
      name: 'spaces_of_owner_index',
      properties: ['ownerId'],
      expression:
        'create index "spaces_of_owner_index" on "spaces" ("owner_id", "created_at" desc, "id" desc) where "deleted_at" is null',
    },
  ],
});
