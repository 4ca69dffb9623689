import { defineEntity, p } from '@mikro-orm/postgresql';
import { postbackStates } from '../../contract/statuses.ts';
import { SourceGeneration } from './source-generation.ts';

/** The postback of one ended generation; its random id is the webhook-id of every attempt. */
export const Postback = defineEntity({
  name: 'Postback',
  tableName: 'postbacks',
  properties: {
    id: p.uuid().primary(),
    sourceId: p.uuid().index(),
    generationId: () => p.oneToOne(SourceGeneration).mapToPk().fieldName('generation_id').deleteRule('cascade'),
    url: p.text(),
    /** The exact bytes that every attempt sends. */
    body: p.text().check('octet_length(body) < 20000'),
    state: p.enum(postbackStates).default('pending'),
    /** Incremented by a redelivery; attempts are counted per round and fenced by it. */
    round: p.integer().default(1),
    /** Delivery attempts in this round. */
    attempts: p.integer().default(0),
    lastStatusCode: p.integer().nullable(),
    nextAttemptAt: p.datetime(3).nullable(),
    /** Why the delivery stopped permanently: state `failed` or `disabled`. */
    reason: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    checkedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'postbacks_due_index',
      properties: ['nextAttemptAt'],
      expression: 'create index "postbacks_due_index" on "postbacks" ("next_attempt_at") where "state" = \'pending\'',
    },
  ],
  checks: [{ name: 'postbacks_next_check', expression: "(state = 'pending') = (next_attempt_at is not null)" }],
});
