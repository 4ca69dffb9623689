import { defineEntity, p } from '@mikro-orm/postgresql';
import { sourceStatuses, sourceTypes } from '../../contract/statuses.ts';
import { Space } from './space.ts';
import { Upload } from './upload.ts';

/** A source as its user sees it. What each of its generations did stands in `source_generations`. */
export const Source = defineEntity({
  name: 'Source',
  tableName: 'sources',
  properties: {
    id: p.uuid().primary(),
    /** The space's owner, kept here for fairness and fencing; a composite foreign key keeps it true. */
    ownerId: p.uuid().index(),
    spaceId: () => p.manyToOne(Space).mapToPk().fieldName('space_id').deleteRule('cascade'),
    /** In the same space: a composite foreign key of the migration. */
    collectionId: p.uuid().nullable(),
    type: p.enum(sourceTypes),
    name: p.text().check('char_length(name) between 1 and 200'),
    /** The name came from the content, so that a better one may replace it when the content is known. */
    nameDerived: p.boolean(),
    status: p.enum(sourceStatuses),
    generation: p.integer().check('generation >= 1'),
    /** Counts every change that a reader can see. */
    revision: p.bigint('number').default(1),
    /** The last completed generation: a composite foreign key of the migration. */
    resultGenerationId: p.uuid().nullable(),
    initialData: p.json().$type<Record<string, unknown>>(),
    instructions: p.json().$type<Record<string, unknown>>(),
    metadata: p.json().$type<Record<string, string | number | boolean>>(),
    externalId: p.text().nullable().check('char_length(external_id) between 1 and 255'),
    pinned: p.boolean().default(false),
    uploadId: () => p.manyToOne(Upload).mapToPk().fieldName('upload_id').deleteRule('no action').nullable().index(),
    /** The URL whose receiver answered 410 Gone: it gets nothing more until the instructions change. */
    postbackGoneUrl: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
    /** From here on nothing brings it back. */
    purgingAt: p.datetime(3).nullable(),
    /** When the reconciler last looked at this source's run. */
    checkedAt: p.datetime(3).defaultRaw('now()'),
    /** Since when its open run has been seen to do nothing but fail. */
    stuckSince: p.datetime(3).nullable(),
    /** When its open run was told again of the generation, or of what it is to deliver. */
    remindedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { name: 'sources_id_space_unique', properties: ['id', 'spaceId'] },
    {
      name: 'sources_external_id_unique',
      properties: ['spaceId', 'externalId'],
      expression:
        'create unique index "sources_external_id_unique" on "sources" ("space_id", "external_id") where "deleted_at" is null and "external_id" is not null',
    },
  ],
  indexes: [
    {
      name: 'sources_of_space_index',
      properties: ['spaceId'],
      expression:
        'create index "sources_of_space_index" on "sources" ("space_id", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null',
    },
    {
      name: 'sources_of_collection_index',
      properties: ['collectionId'],
      expression:
        'create index "sources_of_collection_index" on "sources" ("collection_id", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null',
    },
    {
      name: 'sources_of_status_index',
      properties: ['spaceId'],
      expression:
        'create index "sources_of_status_index" on "sources" ("space_id", "status", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null',
    },
    {
      name: 'sources_of_type_index',
      properties: ['spaceId'],
      expression:
        'create index "sources_of_type_index" on "sources" ("space_id", "type", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null',
    },
    {
      name: 'sources_deleted_index',
      properties: ['spaceId'],
      expression:
        'create index "sources_deleted_index" on "sources" ("space_id", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is not null',
    },
    {
      name: 'sources_name_index',
      properties: ['name'],
      expression: 'create index "sources_name_index" on "sources" using gin ("space_id", "name" gin_trgm_ops)',
    },
    {
      name: 'sources_changed_index',
      properties: ['spaceId', 'updatedAt'],
      expression: 'create index "sources_changed_index" on "sources" ("space_id", "updated_at")',
    },
    {
      name: 'sources_purge_index',
      properties: ['deletedAt'],
      expression: 'create index "sources_purge_index" on "sources" ("deleted_at") where "deleted_at" is not null',
    },
    {
      name: 'sources_open_index',
      properties: ['checkedAt'],
      expression:
        'create index "sources_open_index" on "sources" ("checked_at") where "status" in (\'CREATED\', \'PENDING\', \'PROCESSING\')',
    },
  ],
  checks: [
    { name: 'sources_upload_check', expression: "(type = 'FILE') = (upload_id is not null)" },
    { name: 'sources_purging_check', expression: 'purging_at is null or deleted_at is not null' },
  ],
});
