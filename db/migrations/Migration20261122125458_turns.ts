import { Migration } from '@mikro-orm/migrations';

/** Commands in the order in which they are sent: owners take turns, and a subject's commands go one at a time. */
export class Migration20261122125458_turns extends Migration {
  override name = 'Migration20261122125458_turns';

  override up(): void {
    this.addSql('drop index "outbox_turns_index";');
    this.addSql(`alter table "outbox"
      add "subject_id" uuid generated always as (coalesce(source_id, artifact_id, ticket_id, space_id)) stored null,
      add "turn" bigint not null default '0';`);
    this.addSql('create index "outbox_turn_index" on "outbox" ("turn", "id");');
    this.addSql('create index "outbox_turn_of_owner_index" on "outbox" ("owner_id", "turn");');
    this.addSql('create index "outbox_subject_index" on "outbox" ("subject_id", "id");');
    // Statistics of a queue, and plans that a connection keeps, are from another time: they take a full table for an
    // empty one, and the planner would read all that waits instead of walking over an index. Hence the settings.
    const byIndex = 'set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off';
    // Start-time fair queueing: the turn that was claimed last is the queue's time, which claims set. An owner who
    // comes anew begins there, and each further command of an owner is one turn later.
    this.addSql('create sequence "outbox_turn" minvalue 0 start 0;');
    this.addSql(`create function "take_outbox_turn"() returns trigger language plpgsql ${byIndex} as $$
      begin
        new.turn := greatest((select last_value from outbox_turn),
          (select max(turn) + 1 from outbox where owner_id = new.owner_id));
        return new;
      end $$;`);
    this.addSql(`create trigger "outbox_take_turn" before insert on "outbox"
      for each row execute function "take_outbox_turn"();`);
    // With room for leases and delays beside their rows, and without what was sent long ago in the way of claims.
    this.addSql(`alter table "outbox" set (fillfactor = 50,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);`);
    // Of a subject only the oldest command: one that ends a run, leased or postponed, would otherwise end it after a
    // later one had reached it. Times are kept in milliseconds, rounded: one of just now may lie half a millisecond ahead.
    this.addSql(`create function "lock_claimable_commands"("most" int, "full_owners" uuid[] default '{}')
      returns setof bigint
      language sql rows 100 ${byIndex} as $$
        select o.id from outbox o
        where o.available_at <= now() + interval '1 millisecond'
          and not exists (select from outbox earlier where earlier.subject_id = o.subject_id and earlier.id < o.id)
          and not (o.owner_id = any(full_owners) and o.command in ('start', 'reprocess', 'refresh'))
        order by o.turn, o.id limit most for update of o skip locked
      $$;`);
  }

  override down(): void {
    this.addSql(
      'alter table "outbox" reset (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);',
    );
    this.addSql('drop function "lock_claimable_commands";');
    this.addSql('drop trigger "outbox_take_turn" on "outbox";');
    this.addSql('drop function "take_outbox_turn";');
    this.addSql('drop sequence "outbox_turn";');
    this.addSql('drop index "outbox_turn_index";');
    this.addSql('drop index "outbox_turn_of_owner_index";');
    this.addSql('drop index "outbox_subject_index";');
    this.addSql('alter table "outbox" drop column "subject_id", drop column "turn";');
    this.addSql('create index "outbox_turns_index" on "outbox" ("owner_id", "available_at", "id");');
  }
}
