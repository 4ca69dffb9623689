import { defineEntity, p } from '@mikro-orm/postgresql';
import { User } from './user.ts';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade'),
    name: p.text().check('char_length(name) between 1 and 200'),
    /** SHA-256 of the whole key; the key itself is shown once and never stored. */
    keyHash: p.blob().unique().hidden().check('octet_length(key_hash) = 32'),
    prefix: p.text(),
    last4: p.text(),
    scopes: p
      .array()
      .columnType('text[]')
      .$type<('read' | 'write')[]>()
      .check("scopes <@ array['read','write']::text[] and cardinality(scopes) > 0"),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'api_keys_of_user_index',
      properties: ['userId'],
      expression: 'create index "api_keys_of_user_index" on "api_keys" ("user_id", "created_at" desc, "id" desc)',
    },
  ],
});
