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
    /** Identifies this deletion, so that its run stops after the space was restored. */
    deletionId: p.uuid().nullable(),
    /** When the purge began; the space cannot be restored after that. */
    purgingAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'spaces_id_owner_unique', properties: ['id', 'ownerId'] }],
  checks: [
    { name: 'spaces_deletion_check', expression: '(deleted_at is null) = (deletion_id is null)' },
    { name: 'spaces_purging_check', expression: 'purging_at is null or deleted_at is not null' },
  ],
  indexes: [
    {
      name: 'spaces_of_owner_index',
      properties: ['ownerId'],
      expression:
        'create index "spaces_of_owner_index" on "spaces" ("owner_id", "created_at" desc, "id" desc) where "deleted_at" is null',
    },
    {
      name: 'spaces_deleted_index',
      properties: ['ownerId'],
      expression:
        'create index "spaces_deleted_index" on "spaces" ("owner_id", "created_at" desc, "id" desc) where "deleted_at" is not null',
    },
    {
      name: 'spaces_purge_index',
      properties: ['deletedAt'],
      expression: 'create index "spaces_purge_index" on "spaces" ("deleted_at") where "deleted_at" is not null',
    },
  ],
});
