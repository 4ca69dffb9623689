import { defineEntity, p } from '@mikro-orm/postgresql';
import { commands } from '../../contract/commands.ts';
import { Artifact } from './artifact.ts';
import { Source } from './source.ts';
import { Space } from './space.ts';
import { SupportTicket } from './support-ticket.ts';
import { User } from './user.ts';

/**
 * A command to send to Temporal about one source, artifact, ticket or space, written in the transaction of its change.
 * `availableAt` is also the lease: a claim moves it into the future, so the command of a dead dispatcher becomes due
 * again.
 */
export const OutboxCommand = defineEntity({
  name: 'OutboxCommand',
  tableName: 'outbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade'),
    command: p.enum(commands),
    sourceId: () => p.manyToOne(Source).mapToPk().fieldName('source_id').deleteRule('cascade').nullable().index(),
    artifactId: () => p.manyToOne(Artifact).mapToPk().fieldName('artifact_id').deleteRule('cascade').nullable().index(),
    ticketId: () =>
      p.manyToOne(SupportTicket).mapToPk().fieldName('ticket_id').deleteRule('cascade').nullable().index(),
    spaceId: () => p.manyToOne(Space).mapToPk().fieldName('space_id').deleteRule('cascade').nullable().index(),
    /** Set for commands of a source, except its purge. */
    generation: p.integer().nullable().check('generation >= 1'),
    /** Set for commands of an artifact. */
    round: p.integer().nullable().check('round >= 1'),
    /** Set for `cancel_sources` of a space. */
    deletionId: p.uuid().nullable(),
    /** A lost or stuck run that must be ended before the command is sent. */
    endRunId: p.text().nullable(),
    /** The id that is set of the four: commands of one subject are sent one at a time. */
    subjectId: p.uuid().generated('(coalesce(source_id, artifact_id, ticket_id, space_id)) stored').nullable(),
    /** Commands are sent in this order. A trigger sets it so that owners alternate. */
    turn: p.bigint('number').default(0),
    availableAt: p.datetime(3).defaultRaw('now()'),
    leaseToken: p.uuid().nullable(),
    attempts: p.integer().default(0),
    /** Attempts that Temporal rejected; attempts while it was unavailable do not count. */
    refusals: p.integer().default(0),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    // No index has available_at, so that a lease or a delay updates no index.
    { name: 'outbox_turn_index', properties: ['turn', 'id'] },
    { name: 'outbox_turn_of_owner_index', properties: ['ownerId', 'turn'] },
    { name: 'outbox_subject_index', properties: ['subjectId', 'id'] },
  ],
  checks: [
    {
      name: 'outbox_subject_check',
      expression: `case command
        when 'process' then artifact_id is not null and round is not null
        when 'send' then ticket_id is not null
        when 'cancel_sources' then space_id is not null and deletion_id is not null
        when 'purge' then source_id is not null or space_id is not null
        else source_id is not null and generation is not null end
      and num_nonnulls(source_id, artifact_id, ticket_id, space_id) = 1`,
    },
  ],
});
