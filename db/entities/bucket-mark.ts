import { defineEntity, p } from '@mikro-orm/postgresql';

/** A mark that was given to the bucket. A database that does not know the bucket's mark was restored (db/bucket-ownership.ts). */
export const BucketMark = defineEntity({
  name: 'BucketMark',
  tableName: 'bucket_marks',
  properties: {
    id: p.uuid().primary(),
    createdAt: p.datetime(3).defaultRaw('now()').index(),
  },
});
