import { defineEntity, p } from '@mikro-orm/postgresql';
import { artifactKinds, type Position } from '../../contract/extraction.ts';
import { artifactStatuses } from '../../contract/statuses.ts';

/** An artifact of a source's shown results. Its identity lasts over generations: see the unique constraint. */
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
    language: p.text().nullable(),
    position: p.json().$type<Position>(),
    metadata: p.json().$type<Record<string, unknown>>(),
    status: p.enum(artifactStatuses).default('EXTRACTED'),
    promotedSourceId: p.uuid().nullable().unique(),
    /** Fences the writes of processing: raised by every accepted call. */
    round: p.integer().default(0),
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
  ],
});
