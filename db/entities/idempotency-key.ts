import { defineEntity, p } from '@mikro-orm/postgresql';
import { User } from './user.ts';

/** The stored response to a request with an Idempotency-Key, written in the transaction of the request's changes. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade').primary(),
    /** The procedure with its path parameters. */
    operation: p.text().primary(),
    key: p.text().primary().check('char_length(key) between 1 and 255'),
    /** SHA-256 of the request. */
    requestHash: p.blob().check('octet_length(request_hash) = 32'),
    status: p.smallint().check('status between 200 and 299'),
    /** The response as JSON, without secrets; empty while the first request works outside a transaction. */
    answer: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()').index(),
  },
});
