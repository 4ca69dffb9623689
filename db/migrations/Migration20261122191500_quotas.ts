import { Migration } from '@mikro-orm/migrations';

const starts = `('start', 'reprocess', 'refresh')`;
// As in Migration20261122125458_turns: plans must not go by statistics of another time.
const byIndex = 'set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off';

export const createMeasureUsage = `create function "measure_usage"("owner" uuid, out "sources" bigint, out "stored_bytes" bigint)
  language sql stable as $$
    select count(*) filter (where s.deleted_at is null and sp.deleted_at is null),
      coalesce(sum(s.text_size + s.content_size + s.result_size), 0)::bigint
        + (select coalesce(sum(u.size_bytes), 0)::bigint from uploads u where u.owner_id = owner)
    from spaces sp join sources s on s.owner_id = sp.owner_id and s.space_id = sp.id where sp.owner_id = owner
  $$;`;

// Of a subject only the oldest command; of an owner as many starts as runs may still be opened. Of two dispatchers one
// counts an owner's open runs at a time, and the other passes the owner over.
export const createLockClaimableCommands = `create function "lock_claimable_commands"(
    "most" int, "full_owners" uuid[], "most_free" int, "most_pro" int) returns setof bigint
  language plpgsql rows 100 ${byIndex} as $$
  declare
    passed_over uuid[] := full_owners;
    counted uuid[] := '{}';
    candidates bigint[];
    chosen bigint[] := '{}';
    within bigint[];
    new_owner uuid;
  begin
    loop
      candidates := array(
        select o.id from outbox o
        -- Times are kept in milliseconds, rounded: one of just now may lie half a millisecond ahead.
        where o.available_at <= now() + interval '1 millisecond' and o.id <> all(chosen)
          and not exists (select from outbox earlier where earlier.subject_id = o.subject_id and earlier.id < o.id)
          and not (o.owner_id = any(passed_over) and o.command in ${starts})
        order by o.turn, o.id limit most - cardinality(chosen) for update of o skip locked);
      exit when cardinality(candidates) = 0;
      for new_owner in
        select distinct o.owner_id from outbox o
        where o.id = any(candidates) and o.command in ${starts} and o.owner_id <> all(counted)
      loop
        if pg_try_advisory_xact_lock(hashtextextended('open runs ' || new_owner, 0)) then
          counted := counted || new_owner;
        else
          passed_over := passed_over || new_owner;
        end if;
      end loop;
      within := array(
        with candidate as (
          select o.id, o.owner_id, o.command in ${starts} as starts,
            row_number() over (partition by o.owner_id, o.command in ${starts} order by o.turn, o.id) as number
          from outbox o where o.id = any(candidates || chosen)
        )
        select c.id from candidate c
        where c.id <> all(chosen) and (not c.starts or (c.owner_id = any(counted) and c.number <= (
          select case u.plan when 'pro' then most_pro else most_free end from users u where u.id = c.owner_id
        ) - (
          -- One whose command is due again, since its dispatcher died, is not open.
          select count(*) from sources s
          where s.owner_id = c.owner_id and s.run_open and not exists (
            select from outbox waiting where waiting.subject_id = s.id and waiting.command in ${starts}
              and (waiting.lease_token is null or waiting.available_at <= now())
          )))));
      chosen := chosen || within;
      exit when cardinality(within) = cardinality(candidates) or cardinality(chosen) = most;
      passed_over := passed_over || array(
        select distinct o.owner_id from outbox o where o.id = any(candidates) and o.id <> all(within));
    end loop;
    return query select unnest(chosen);
  end $$;`;

/** What lists show in columns of its own, what an owner uses of the quotas, and claims within the open runs of a plan. */
export class Migration20261122191500_quotas extends Migration {
  override name = 'Migration20261122191500_quotas';

  override up(): void {
    // Casts between jsonb and text do not count as immutable, which those of a generated column have to be; these are.
    this.addSql(`create function "text_as_jsonb"("value" text) returns jsonb language plpgsql immutable strict as $$
      begin return to_jsonb(value); end $$;`);
    this.addSql(`create function "jsonb_size"("value" jsonb) returns int language plpgsql immutable strict as $$
      begin return octet_length(value::text); end $$;`);
    this.addSql(`alter table "sources"
      add "listed_data" jsonb generated always as (case when type = 'CONTENT' and coalesce(char_length(initial_data ->> 'data'), 0) > 1000
        then jsonb_set(initial_data, '{data}', text_as_jsonb(left(initial_data ->> 'data', 1000))) else initial_data end) stored not null,
      add "truncated" boolean generated always as (
        type = 'CONTENT' and coalesce(char_length(initial_data ->> 'data'), 0) > 1000) stored not null,
      add "text_size" bigint generated always as (
        case when type = 'CONTENT' then coalesce(octet_length(initial_data ->> 'data'), 0) else 0 end) stored not null,
      add "content_size" bigint not null default 0,
      add "result_size" bigint not null default 0,
      add "run_open" boolean not null default false;`);
    this.addSql('drop index "sources_owner_id_index";');
    this.addSql(`create index "sources_usage_index" on "sources" ("owner_id", "space_id")
      include ("deleted_at", "text_size", "content_size", "result_size");`);
    this.addSql('create index "sources_open_runs_index" on "sources" ("owner_id") where "run_open";');
    this.addSql('alter table "source_generations" add "markdown_size" bigint null, add "context_size" bigint null;');
    this.addSql(`alter table "artifacts"
      add "listed_content" text generated always as (left(content, 1000)) stored not null,
      add "listed_metadata" jsonb generated always as (
        case when jsonb_size(metadata) > 4096 then '{}'::jsonb else metadata end) stored not null,
      add "truncated" boolean generated always as (
        char_length(content) > 1000 or jsonb_size(metadata) > 4096) stored not null;`);
    this.addSql(`create table "host_fetches" (
      "owner_id" uuid not null, "host" text not null, "begun_at" timestamptz(3) not null default now(),
      "fetches" int not null default 1, primary key ("owner_id", "host"));`);
    this.addSql(`alter table "host_fetches" add constraint "host_fetches_owner_id_foreign"
      foreign key ("owner_id") references "users" ("id") on delete cascade;`);
    this.addSql(createMeasureUsage);
    // Each statement of a volatile function sees what was committed before it, the lock's other holders' writes among it.
    this.addSql(`create function "lock_usage"("owner" uuid, out "sources" bigint, out "stored_bytes" bigint)
      language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended('usage ' || owner, 0));
        select m.sources, m.stored_bytes into sources, stored_bytes from measure_usage(owner) m;
      end $$;`);
    this.addSql('drop function "lock_claimable_commands";');
    this.addSql(createLockClaimableCommands);
  }

  override down(): void {
    this.addSql('drop function "lock_claimable_commands";');
    this.addSql(`create function "lock_claimable_commands"("most" int, "full_owners" uuid[] default '{}')
      returns setof bigint
      language sql rows 100 ${byIndex} as $$
        select o.id from outbox o
        where o.available_at <= now() + interval '1 millisecond'
          and not exists (select from outbox earlier where earlier.subject_id = o.subject_id and earlier.id < o.id)
          and not (o.owner_id = any(full_owners) and o.command in ${starts})
        order by o.turn, o.id limit most for update of o skip locked
      $$;`);
    this.addSql('drop function "lock_usage";');
    this.addSql('drop function "measure_usage";');
    this.addSql('drop table "host_fetches";');
    this.addSql(
      'alter table "artifacts" drop column "listed_content", drop column "listed_metadata", drop column "truncated";',
    );
    this.addSql('alter table "source_generations" drop column "markdown_size", drop column "context_size";');
    this.addSql('create index "sources_owner_id_index" on "sources" ("owner_id");');
    this.addSql('drop index "sources_usage_index";');
    this.addSql('drop index "sources_open_runs_index";');
    this.addSql(`alter table "sources" drop column "listed_data", drop column "truncated", drop column "text_size",
      drop column "content_size", drop column "result_size", drop column "run_open";`);
    this.addSql('drop function "jsonb_size";');
    this.addSql('drop function "text_as_jsonb";');
  }
}
