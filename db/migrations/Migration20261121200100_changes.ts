import { Migration } from '@mikro-orm/migrations';

/** What entities cannot express: notifications of changes, the limiter's unlogged table, and a foreign key's rule. */
export class Migration20261121200100_changes extends Migration {
  override name = 'Migration20261121200100_changes';

  override up(): void {
    // Whoever waits for a source or streams a space hears of each visible change (db/changes.ts reads the payload).
    this.addSql(`create function "notify_source_change"() returns trigger language plpgsql as $$
      begin perform pg_notify('changes', 'source:' || new.id || ':' || new.space_id); return null; end $$;`);
    this.addSql(`create trigger "sources_inserted_notify" after insert on "sources"
      for each row execute function "notify_source_change"();`);
    this.addSql(`create trigger "sources_changed_notify" after update on "sources"
      for each row when (old.revision is distinct from new.revision) execute function "notify_source_change"();`);
    this.addSql(`create function "notify_space_change"() returns trigger language plpgsql as $$
      begin perform pg_notify('changes', 'space:' || new.id); return null; end $$;`);
    this.addSql(`create trigger "spaces_changed_notify" after update on "spaces"
      for each row when (old.deleted_at is distinct from new.deleted_at) execute function "notify_space_change"();`);
    // A wait or a stream ends with its key, or with its user.
    this.addSql(`create function "notify_key_change"() returns trigger language plpgsql as $$
      begin perform pg_notify('changes', 'key:' || old.id); return null; end $$;`);
    this.addSql(`create trigger "api_keys_changed_notify" after delete on "api_keys"
      for each row execute function "notify_key_change"();`);
    this.addSql(`create function "notify_user_change"() returns trigger language plpgsql as $$
      begin perform pg_notify('changes', 'user:' || new.id); return null; end $$;`);
    this.addSql(`create trigger "users_changed_notify" after update on "users"
      for each row when (new.disabled_at is not null and old.disabled_at is null)
      execute function "notify_user_change"();`);
    // Counters of a minute may be lost with a crash; the log of every request would cost more than that.
    this.addSql(`create unlogged table "rate_limits" ("key" varchar(255) primary key, "points" integer not null default 0,
      "expire" bigint);`);
    // A composition keeps the place of a member that was purged.
    this.addSql('alter table "composition_members" drop constraint "composition_members_member_foreign";');
    this.addSql(`alter table "composition_members" add constraint "composition_members_member_foreign"
      foreign key ("member_id", "space_id") references "sources" ("id", "space_id") on delete set null ("member_id");`);
  }

  override down(): void {
    this.addSql('alter table "composition_members" drop constraint "composition_members_member_foreign";');
    this.addSql(`alter table "composition_members" add constraint "composition_members_member_foreign"
      foreign key ("member_id", "space_id") references "sources" ("id", "space_id") on delete cascade;`);
    this.addSql('drop table "rate_limits";');
    for (const [table, trigger] of [
      ['users', 'users_changed_notify'],
      ['api_keys', 'api_keys_changed_notify'],
      ['spaces', 'spaces_changed_notify'],
      ['sources', 'sources_changed_notify'],
      ['sources', 'sources_inserted_notify'],
    ]) {
      this.addSql(`drop trigger "${trigger}" on "${table}";`);
    }
    for (const name of ['notify_user_change', 'notify_key_change', 'notify_space_change', 'notify_source_change']) {
      this.addSql(`drop function "${name}";`);
    }
  }
}
