/** Starts purges of deleted sources and spaces. The mark `purging_at` comes first: a marked one cannot be restored. */
import type { PurgeSubject, SpaceDeletion } from '../../../contract/commands.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';

const startSources = statement<{ id: string }>(
  'start-source-purges',
  `with due as (
     select id from sources where deleted_at < now() - make_interval(secs => $1) and purging_at is null
     order by deleted_at limit $2 for no key update skip locked
   ), marked as (
     update sources s set purging_at = now() from due where s.id = due.id returning s.id, s.owner_id
   )
   insert into outbox (owner_id, command, source_id) select owner_id, 'purge', id from marked returning source_id as id`,
);

const startSpaces = statement<{ id: string }>(
  'start-space-purges',
  `with due as (
     select id from spaces where deleted_at < now() - make_interval(secs => $1) and purging_at is null
     order by deleted_at limit $2 for no key update skip locked
   ), marked as (
     update spaces s set purging_at = now() from due where s.id = due.id returning s.id, s.owner_id
   )
   insert into outbox (owner_id, command, space_id) select owner_id, 'purge', id from marked returning space_id as id`,
);

/** Starts the purge of up to `limit` sources and as many spaces deleted `retentionSeconds` ago; returns them. */
export async function startPurges(session: Session, retentionSeconds: number, limit: number): Promise<PurgeSubject[]> {
  const spaces = await query(session, startSpaces, [retentionSeconds, limit]);
  const sources = await query(session, startSources, [retentionSeconds, limit]);
  return [
    ...spaces.map(({ id }): PurgeSubject => ({ of: 'space', id })),
    ...sources.map(({ id }): PurgeSubject => ({ of: 'source', id })),
  ];
}

const repeatSource = statement<{ id: number }>(
  'repeat-source-purge',
  `insert into outbox (owner_id, command, source_id, end_run_id)
   select s.owner_id, 'purge', s.id, $2 from sources s
   where s.id = $1 and s.purging_at is not null
     and not exists (select from outbox o where o.source_id = s.id and o.command = 'purge')
   returning id`,
);

const repeatSpace = statement<{ id: number }>(
  'repeat-space-purge',
  `insert into outbox (owner_id, command, space_id, end_run_id)
   select s.owner_id, 'purge', s.id, $2 from spaces s
   where s.id = $1 and s.purging_at is not null
     and not exists (select from outbox o where o.space_id = s.id and o.command = 'purge')
   returning id`,
);

/** Inserts a purge's command again; `endRunId` is ended before. False: it is done or a command is in the outbox. */
export async function repeatPurge(
  session: Session,
  { of, id }: PurgeSubject,
  endRunId: string | null,
): Promise<boolean> {
  return (await queryOne(session, of === 'source' ? repeatSource : repeatSpace, [id, endRunId])) !== null;
}

const repeatDeletion = statement<{ id: number }>(
  'repeat-space-deletion',
  `insert into outbox (owner_id, command, space_id, deletion_id, end_run_id)
   select s.owner_id, 'cancel_sources', s.id, s.deletion_id, $3 from spaces s
   where s.id = $1 and s.deletion_id = $2
     and not exists (select from outbox o where o.space_id = s.id and o.deletion_id = s.deletion_id)
   returning id`,
);

/**
 * Inserts the command of a space's deletion again; the run `endRunId` is ended before. False when the space was
 * restored or a command is in the outbox.
 */
export async function repeatSpaceDeletion(
  session: Session,
  { spaceId, deletionId }: SpaceDeletion,
  endRunId: string | null,
): Promise<boolean> {
  return (await queryOne(session, repeatDeletion, [spaceId, deletionId, endRunId])) !== null;
}
