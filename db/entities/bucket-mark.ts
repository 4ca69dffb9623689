import { defineEntity, p } from '@mikro-orm/postgresql';

/** Id of a marker written to the bucket. A database without the bucket's id was restored (db/bucket-ownership.ts). */
export const BucketMark = defineEntity({
  name: 'BucketMark',
  tableName: 'bucket_marks',
  properties: {
    id: p.uuid().primary(),
    createdAt: p.datetime(3).defaultRaw('now()').index(),
  },
});
