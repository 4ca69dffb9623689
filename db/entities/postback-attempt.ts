import { defineEntity, p } from '@mikro-orm/postgresql';
import { Postback } from './postback.ts';

export const PostbackAttempt = defineEntity({
  name: 'PostbackAttempt',
  tableName: 'postback_attempts',
  properties: {
    postbackId: () => p.manyToOne(Postback).mapToPk().fieldName('postback_id').deleteRule('cascade').primary(),
    round: p.integer().primary(),
    attempt: p.integer().primary().check('attempt >= 1'),
    at: p.datetime(3),
    statusCode: p.integer().nullable(),
    durationMs: p.integer(),
    /** The first 1 kB of the response body. */
    response: p.text().nullable(),
    error: p.text().nullable(),
  },
});
