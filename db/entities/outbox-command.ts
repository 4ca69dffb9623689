import { defineEntity, p } from '@mikro-orm/postgresql';
import { sourceCommands } from '../../contract/commands.ts';
import { Source } from './source.ts';
import { User } from './user.ts';

/**
 * A command on its way to Temporal, written with the change that asks for it. `availableAt` is the lease: a
 * dispatcher that claims the row moves it ahead, and a row whose dispatcher died is simply due again.
 */
export const OutboxCommand = defineEntity({
  name: 'OutboxCommand',
  tableName: 'outbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade'),
    sourceId: () => p.manyToOne(Source).mapToPk().fieldName('source_id').deleteRule('cascade').index(),
    command: p.enum(sourceCommands),
    generation: p.integer().check('generation >= 1'),
    /** A lost or stuck run that must be ended before the command is sent. */
    endRunId: p.text().nullable(),
    availableAt: p.datetime(3).defaultRaw('now()'),
    leaseToken: p.uuid().nullable(),
    attempts: p.integer().default(0),
    /** Attempts that Temporal answered with a refusal; being out of reach does not count. */
    refusals: p.integer().default(0),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'outbox_turns_index', properties: ['ownerId', 'availableAt', 'id'] }],
});
