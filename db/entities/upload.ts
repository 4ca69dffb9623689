import { defineEntity, p } from '@mikro-orm/postgresql';
import { User } from './user.ts';

/** A granted upload. The file may be uploaded until the grant expires; a claim records the file's ETag and size. */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  properties: {
    id: p.uuid().primary(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade').index(),
    fileKey: p.text().unique().check("file_key like 'uploads/%'"),
    filename: p.text(),
    contentType: p.text(),
    sizeBytes: p.bigint('number').check('size_bytes > 0'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** When a source last claimed it; null while no source uses it. */
    claimedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'uploads_unclaimed_index',
      properties: ['createdAt'],
      expression: 'create index "uploads_unclaimed_index" on "uploads" ("created_at") where "claimed_at" is null',
    },
  ],
});
