import { Migration } from '@mikro-orm/migrations';
import { createLockClaimableCommands, createMeasureUsage } from './Migration20261122191500_quotas.ts';

const starts = `('start', 'reprocess', 'refresh')`;
/** As plans were made when the queue was short, they would read all of it. */
const byIndex = `set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  set enable_hashjoin = off set enable_mergejoin = off`;

/** What has to be counted or changed in each run costs the same however many sources there are. */
export class Migration20261122223000_narrow_updates extends Migration {
  override name = 'Migration20261122223000_narrow_updates';

  override up(): void {
    // A run changes its source five times. While no indexed column changes and the page has room, PostgreSQL writes the
    // new row beside the old one and leaves all indexes as they are (a HOT update), the one of names among them.
    this.addSql('drop index "sources_usage_index";');
    this.addSql('drop index "sources_of_status_index";');
    this.addSql('drop index "sources_open_index";');
    this.addSql('drop index "sources_changed_index";');
    this.addSql(`alter table "sources"
      add "status_group" text generated always as (
        case when status in ('CREATED', 'PENDING', 'PROCESSING') then 'OPEN' else status end) stored not null,
      add "changed_minute" bigint generated always as (floor(extract(epoch from updated_at at time zone 'utc') / 60)) stored not null;`);
    this.addSql('create index "sources_owner_id_index" on "sources" ("owner_id");');
    this.addSql(`create index "sources_of_status_index" on "sources"
      ("space_id", "status_group", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null;`);
    this.addSql(`create index "sources_open_index" on "sources" ("checked_at") where "status_group" = 'OPEN';`);
    this.addSql('create index "sources_changed_index" on "sources" ("space_id", "changed_minute");');
    this.addSql('alter table "sources" set (fillfactor = 70, toast_tuple_target = 256);');

    // The sums of an owner, in parts: who changes them takes one that nobody else is changing, so nobody waits.
    this.addSql(`create table "usage_parts" (
      "id" bigserial primary key, "owner_id" uuid not null, "space_id" uuid null,
      "sources" bigint not null, "stored_bytes" bigint not null) with (fillfactor = 50);`);
    this.addSql('create index "usage_parts_owner_id_space_id_index" on "usage_parts" ("owner_id", "space_id");');
    this.addSql('create index "usage_parts_space_id_index" on "usage_parts" ("space_id");');
    this.addSql(`alter table "usage_parts" add constraint "usage_parts_owner_id_foreign"
      foreign key ("owner_id") references "users" ("id") on delete cascade;`);
    this.addSql(`alter table "usage_parts" add constraint "usage_parts_space_id_foreign"
      foreign key ("space_id") references "spaces" ("id") on delete cascade;`);
    this.addSql(`insert into usage_parts (owner_id, space_id, sources, stored_bytes)
      select owner_id, space_id, count(*) filter (where deleted_at is null),
        coalesce(sum(text_size + content_size + result_size), 0) from sources group by 1, 2
      union all select owner_id, null, 0, coalesce(sum(size_bytes), 0) from uploads group by 1;`);
    this.addSql(`create function "add_usage"("owner" uuid, "space" uuid, "more_sources" bigint, "more_bytes" bigint)
      returns void language plpgsql as $$
      declare part bigint;
      begin
        if more_sources = 0 and more_bytes = 0 then return; end if;
        if space is null then
          select id into part from usage_parts where owner_id = owner and space_id is null
            limit 1 for update skip locked;
        else
          select id into part from usage_parts where owner_id = owner and space_id = space
            limit 1 for update skip locked;
        end if;
        if found then
          update usage_parts set sources = sources + more_sources, stored_bytes = stored_bytes + more_bytes
            where id = part;
        else
          -- What is removed together with its space or its owner needs no part any more.
          insert into usage_parts (owner_id, space_id, sources, stored_bytes)
            select owner, space, more_sources, more_bytes from users
            where id = owner and (space is null or exists (select from spaces where id = space));
        end if;
      end $$;`);
    const sums = {
      sources: (
        sign: '' | '-',
      ) => `perform add_usage(owner_id, space_id, ${sign}count(*) filter (where deleted_at is null),
          (${sign}sum(text_size + content_size + result_size))::bigint) from changed group by owner_id, space_id;`,
      uploads: (sign: '' | '-') =>
        `perform add_usage(owner_id, null, 0, (${sign}sum(size_bytes))::bigint) from changed group by owner_id;`,
    };
    for (const table of ['sources', 'uploads'] as const) {
      for (const [event, rows, sign] of [
        ['insert', 'new', ''],
        ['delete', 'old', '-'],
      ] as const) {
        this.addSql(`create function "count_${table}_${event}"() returns trigger language plpgsql as $$
          begin ${sums[table](sign)} return null; end $$;`);
        this.addSql(`create trigger "${table}_${event}_usage" after ${event} on "${table}"
          referencing ${rows} table as changed for each statement execute function "count_${table}_${event}"();`);
      }
    }
    this.addSql(`create function "count_sources_update"() returns trigger language plpgsql as $$
      begin
        perform add_usage(new.owner_id, new.space_id, (new.deleted_at is null)::int - (old.deleted_at is null)::int,
          new.text_size + new.content_size + new.result_size - old.text_size - old.content_size - old.result_size);
        return null;
      end $$;`);
    this.addSql(`create trigger "sources_update_usage" after update on "sources" for each row
      when ((old.deleted_at is null) <> (new.deleted_at is null) or old.text_size <> new.text_size
        or old.content_size <> new.content_size or old.result_size <> new.result_size)
      execute function "count_sources_update"();`);
    this.addSql(`create function "count_uploads_update"() returns trigger language plpgsql as $$
      begin
        perform add_usage(new.owner_id, null, 0, new.size_bytes - old.size_bytes);
        return null;
      end $$;`);
    this.addSql(`create trigger "uploads_update_usage" after update on "uploads" for each row
      when (old.size_bytes <> new.size_bytes) execute function "count_uploads_update"();`);
    this.addSql(`create or replace function "measure_usage"("owner" uuid, out "sources" bigint, out "stored_bytes" bigint)
      language sql stable as $$
        select coalesce(sum(p.sources) filter (where s.deleted_at is null), 0)::bigint,
          coalesce(sum(p.stored_bytes), 0)::bigint
        from usage_parts p left join spaces s on s.id = p.space_id where p.owner_id = owner
      $$;`);

    // Of a subject only the oldest command; of an owner as many starts as runs may still be opened. Of two dispatchers one
    // counts an owner's open runs at a time, and the other passes the owner over. 2147483647 runs are no limit.
    this.addSql(`create or replace function "lock_claimable_commands"(
        "most" int, "full_owners" uuid[], "most_free" int, "most_pro" int) returns setof bigint
      language plpgsql rows 100 ${byIndex} as $$
      declare
        passed_over uuid[] := full_owners;
        chosen bigint[] := '{}';
        -- Owners whose open runs are counted, and how many more each may open.
        counted uuid[] := '{}';
        room int[] := '{}';
        candidates bigint[];
        owners uuid[];
        starts boolean[];
        place int;
        allowed int;
        goes_on boolean;
      begin
        loop
          goes_on := false;
          select array_agg(c.id), array_agg(c.owner_id), array_agg(c.starts) into candidates, owners, starts from (
            select o.id, o.owner_id, o.command in ${starts} as starts from outbox o
            -- Times are kept in milliseconds, rounded: one of just now may lie half a millisecond ahead.
            where o.available_at <= now() + interval '1 millisecond' and o.id <> all(chosen)
              and not exists (select from outbox earlier where earlier.subject_id = o.subject_id and earlier.id < o.id)
              and not (o.owner_id = any(passed_over) and o.command in ${starts})
            order by o.turn, o.id limit most - cardinality(chosen) for update of o skip locked) c;
          exit when candidates is null;
          for i in 1 .. cardinality(candidates) loop
            if starts[i] then
              continue when owners[i] = any(passed_over);
              place := array_position(counted, owners[i]);
              if place is null then
                select case plan when 'pro' then most_pro else most_free end into allowed from users where id = owners[i];
                if allowed < 2147483647 then
                  if pg_try_advisory_xact_lock(hashtextextended('open runs ' || owners[i], 0)) then
                    allowed := allowed - (select count(*) from sources where owner_id = owners[i] and run_open);
                  else
                    allowed := 0;
                  end if;
                end if;
                counted := counted || owners[i];
                room := room || allowed;
                place := cardinality(counted);
              end if;
              -- One whose command is due again, since its dispatcher died, is open already.
              if room[place] <= 0 and not exists (
                select from outbox o join sources s on s.id = o.source_id where o.id = candidates[i] and s.run_open) then
                passed_over := passed_over || owners[i];
                goes_on := true;
                continue;
              end if;
              room[place] := room[place] - 1;
            end if;
            chosen := chosen || candidates[i];
          end loop;
          exit when not goes_on or cardinality(chosen) = most;
        end loop;
        return query select unnest(chosen);
      end $$;`);
  }

  override down(): void {
    this.addSql('drop function "lock_claimable_commands";');
    this.addSql(createLockClaimableCommands);
    this.addSql('drop function "measure_usage";');
    this.addSql(createMeasureUsage);
    for (const table of ['sources', 'uploads']) {
      for (const event of ['insert', 'delete', 'update']) {
        this.addSql(`drop trigger "${table}_${event}_usage" on "${table}";`);
        this.addSql(`drop function "count_${table}_${event}";`);
      }
    }
    this.addSql('drop function "add_usage";');
    this.addSql('drop table "usage_parts";');
    this.addSql('alter table "sources" reset (fillfactor, toast_tuple_target);');
    this.addSql('drop index "sources_owner_id_index";');
    this.addSql('drop index "sources_of_status_index";');
    this.addSql('drop index "sources_open_index";');
    this.addSql('drop index "sources_changed_index";');
    this.addSql('alter table "sources" drop column "status_group", drop column "changed_minute";');
    this.addSql(`create index "sources_of_status_index" on "sources"
      ("space_id", "status", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null;`);
    this.addSql(`create index "sources_open_index" on "sources" ("checked_at")
      where "status" in ('CREATED', 'PENDING', 'PROCESSING');`);
    this.addSql('create index "sources_changed_index" on "sources" ("space_id", "updated_at");');
    this.addSql(`create index "sources_usage_index" on "sources" ("owner_id", "space_id")
      include ("deleted_at", "text_size", "content_size", "result_size");`);
  }
}
