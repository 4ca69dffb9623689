import { defineEntity, p } from '@mikro-orm/postgresql';
import { artifactKinds, type Position } from '../../contract/extraction.ts';
import { artifactStatuses } from '../../contract/statuses.ts';

/** Limit of an artifact's content in lists, in Unicode code points. */
const LISTED_CHARACTERS = 1_000;
/** Limit of an artifact's metadata in lists, in bytes. */
const LISTED_BYTES = 4_096;
const isLarge = `jsonb_size(metadata) > ${LISTED_BYTES}`;
const listedMetadata = `case when ${isLarge} then '{}' else metadata end`;

/** An artifact of a source's result generation. It keeps its id across generations: see the unique constraint. */
export const Artifact = defineEntity({
  name: 'Artifact',
  tableName: 'artifacts',
  properties: {
    id: p.uuid().primary(),
    /** The source and its space: a composite foreign key of the migration. */
    sourceId: p.uuid(),
    spaceId: p.uuid(),
    kind: p.enum(artifactKinds),
    /** SHA-256 (hex) of the normalised content. */
    contentHash: p.character().length(64),
    /** Counts equal artifacts of one source and kind from 0. */
    ordinal: p.integer().check('ordinal >= 0'),
    title: p.text(),
    content: p.text(),
    /** The values in lists: long content is cut, and large metadata omitted. */
    listedContent: p.text().generated(`(left(content, ${LISTED_CHARACTERS})) stored`),
    listedMetadata: p.json().$type<Record<string, unknown>>().generated(`(${listedMetadata}) stored`),
    truncated: p.boolean().generated(`(char_length(content) > ${LISTED_CHARACTERS} or ${isLarge}) stored`),
    language: p.text().nullable(),
    position: p.json().$type<Position>(),
    metadata: p.json().$type<Record<string, unknown>>(),
    status: p.enum(artifactStatuses).default('EXTRACTED'),
    promotedSourceId: p.uuid().nullable().unique(),
    /** Fences the writes of processing; incremented by every accepted request. */
    round: p.integer().default(0),
    /** When the reconciler last claimed this artifact. */
    checkedAt: p.datetime(3).defaultRaw('now()'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'artifacts_identity_unique', properties: ['sourceId', 'kind', 'contentHash', 'ordinal'] }],
  indexes: [
    {
      name: 'artifacts_of_space_index',
      properties: ['spaceId'],
      expression: 'create index "artifacts_of_space_index" on "artifacts" ("space_id", "created_at" desc, "id" desc)',
    },
    {
      name: 'artifacts_of_source_index',
      properties: ['sourceId'],
      expression: 'create index "artifacts_of_source_index" on "artifacts" ("source_id", "created_at" desc, "id" desc)',
    },
    {
      name: 'artifacts_of_kind_index',
      properties: ['spaceId'],
      expression:
        'create index "artifacts_of_kind_index" on "artifacts" ("space_id", "kind", "created_at" desc, "id" desc)',
    },
    {
      name: 'artifacts_of_status_index',
      properties: ['spaceId'],
      expression:
        'create index "artifacts_of_status_index" on "artifacts" ("space_id", "status", "created_at" desc, "id" desc)',
    },
    {
      name: 'artifacts_title_index',
      properties: ['title'],
      expression: 'create index "artifacts_title_index" on "artifacts" using gin ("space_id", "title" gin_trgm_ops)',
    },
    {
      name: 'artifacts_processing_index',
      properties: ['checkedAt'],
      expression:
        'create index "artifacts_processing_index" on "artifacts" ("checked_at") where "status" = \'PROCESSING\'',
    },
  ],
});
