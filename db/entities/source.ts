import { defineEntity, p } from '@mikro-orm/postgresql';
import { sourceStatuses, sourceTypes } from '../../contract/statuses.ts';
import { Space } from './space.ts';
import { Upload } from './upload.ts';

/** Limit of a CONTENT source's text in lists, in Unicode code points. */
const LISTED_CHARACTERS = 1_000;
const isCut = `type = 'CONTENT' and coalesce(char_length(initial_data ->> 'data'), 0) > ${LISTED_CHARACTERS}`;
const listedData = `case when ${isCut} then jsonb_set(initial_data, '{data}', text_as_jsonb(left(initial_data ->> 'data', ${LISTED_CHARACTERS}))) else initial_data end`;

/** The three open statuses are one group, so that a run's transitions between them update no index. */
const statusGroup = `case when status in ('CREATED', 'PENDING', 'PROCESSING') then 'OPEN' else status end`;

const textSize = `case when type = 'CONTENT' then coalesce(octet_length(initial_data ->> 'data'), 0) else 0 end`;

/** A source as its user sees it. Its generations are in `source_generations`. */
export const Source = defineEntity({
  name: 'Source',
  tableName: 'sources',
  properties: {
    id: p.uuid().primary(),
    /** The space's owner, duplicated here for fairness and fencing; a composite foreign key keeps it consistent. */
    ownerId: p.uuid(),
    spaceId: () => p.manyToOne(Space).mapToPk().fieldName('space_id').deleteRule('cascade'),
    /** In the same space: see the composite foreign key in the migrations. */
    collectionId: p.uuid().nullable(),
    type: p.enum(sourceTypes),
    name: p.text().check('char_length(name) between 1 and 200'),
    /** The name was derived from the data, so the title of the extracted content may replace it. */
    nameDerived: p.boolean(),
    status: p.enum(sourceStatuses),
    /** 'OPEN' until the generation has ended, then the status. For indexes. */
    statusGroup: p.text().generated(`(${statusGroup}) stored`),
    generation: p.integer().check('generation >= 1'),
    /** Incremented by every change that is visible in the API. */
    revision: p.bigint('number').default(1),
    /** The last completed generation: see the composite foreign key in the migrations. */
    resultGenerationId: p.uuid().nullable(),
    initialData: p.json().$type<Record<string, unknown>>(),
    /** `initialData` in lists: the text of CONTENT is cut. */
    listedData: p.json().$type<Record<string, unknown>>().generated(`(${listedData}) stored`),
    truncated: p.boolean().generated(`(${isCut}) stored`),
    /** Bytes of the text of CONTENT, of the stored content, and of the result. Their sum counts towards the quota. */
    textSize: p.bigint('number').generated(`(${textSize}) stored`),
    contentSize: p.bigint('number').default(0),
    resultSize: p.bigint('number').default(0),
    /**
     * Whether the run counts as open: from its start until the generation has ended, except while a composition waits
     * for its members.
     */
    runOpen: p.boolean().default(false),
    instructions: p.json().$type<Record<string, unknown>>(),
    metadata: p.json().$type<Record<string, string | number | boolean>>(),
    externalId: p.text().nullable().check('char_length(external_id) between 1 and 255'),
    pinned: p.boolean().default(false),
    uploadId: () => p.manyToOne(Upload).mapToPk().fieldName('upload_id').deleteRule('no action').nullable().index(),
    /** The URL whose receiver responded with 410 Gone: it gets no postbacks until the instructions change. */
    postbackGoneUrl: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    /** `updated_at` in whole minutes since 1970, so that a run within one minute does not update the index. */
    changedMinute: p
      .bigint('number')
      .generated("(floor(extract(epoch from updated_at at time zone 'utc') / 60)) stored"),
    deletedAt: p.datetime(3).nullable(),
    /** When the purge began; the source cannot be restored after that. */
    purgingAt: p.datetime(3).nullable(),
    /** When the reconciler last claimed this source. */
    checkedAt: p.datetime(3).defaultRaw('now()'),
    /** Since when the reconciler has found the open run only failing; null: it progresses. */
    stuckSince: p.datetime(3).nullable(),
    /** When the reconciler last sent `reprocess` or `deliver` to the open run again. */
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
        'create index "sources_of_status_index" on "sources" ("space_id", "status_group", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null',
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
    { name: 'sources_owner_id_index', properties: ['ownerId'] },
    {
      name: 'sources_open_runs_index',
      properties: ['ownerId'],
      expression: 'create index "sources_open_runs_index" on "sources" ("owner_id") where "run_open"',
    },
    {
      name: 'sources_name_index',
      properties: ['name'],
      expression: 'create index "sources_name_index" on "sources" using gin ("space_id", "name" gin_trgm_ops)',
    },
    {
      name: 'sources_changed_index',
      properties: ['spaceId', 'changedMinute'],
    },
    {
      name: 'sources_purge_index',
      properties: ['deletedAt'],
      expression: 'create index "sources_purge_index" on "sources" ("deleted_at") where "deleted_at" is not null',
    },
    {
      name: 'sources_open_index',
      properties: ['checkedAt'],
      expression: 'create index "sources_open_index" on "sources" ("checked_at") where "status_group" = \'OPEN\'',
    },
  ],
  checks: [
    { name: 'sources_upload_check', expression: "(type = 'FILE') = (upload_id is not null)" },
    { name: 'sources_purging_check', expression: 'purging_at is null or deleted_at is not null' },
  ],
});
