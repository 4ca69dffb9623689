import { Migration } from '@mikro-orm/migrations';

export class Migration20261121200000_contract extends Migration {
  override name = 'Migration20261121200000_contract';

  override up(): void | Promise<void> {
    // Both are trusted extensions: the owner of the database may create them. They index words inside of names.
    this.addSql('create extension if not exists pg_trgm;');
    this.addSql('create extension if not exists btree_gin;');
    this.addSql(
      `create table "support_tickets" ("id" uuid not null, "user_id" uuid not null, "type" text not null, "reply_address" text not null, "message" text not null, "request_id" text not null, "status" text not null default 'PENDING', "created_at" timestamptz(3) not null default now(), "sent_at" timestamptz(3) null, "checked_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "support_tickets_user_id_index" on "support_tickets" ("user_id");`);
    this.addSql(
      `create index "support_tickets_pending_index" on "support_tickets" ("checked_at") where "status" = 'PENDING';`,
    );

    this.addSql(
      `create table "idempotency_keys" ("owner_id" uuid not null, "operation" text not null, "key" text not null, "request_hash" bytea not null, "status" smallint not null, "answer" text not null, "created_at" timestamptz(3) not null default now(), primary key ("owner_id", "operation", "key"));`,
    );
    this.addSql(`create index "idempotency_keys_created_at_index" on "idempotency_keys" ("created_at");`);

    this.addSql(`alter table "artifacts" add "checked_at" timestamptz(3) not null default now();`);
    this.addSql(`create index "artifacts_of_source_index" on "artifacts" ("source_id", "created_at" desc, "id" desc);`);
    this.addSql(
      `create index "artifacts_of_kind_index" on "artifacts" ("space_id", "kind", "created_at" desc, "id" desc);`,
    );
    this.addSql(
      `create index "artifacts_of_status_index" on "artifacts" ("space_id", "status", "created_at" desc, "id" desc);`,
    );
    this.addSql(`create index "artifacts_title_index" on "artifacts" using gin ("space_id", "title" gin_trgm_ops);`);
    this.addSql(
      `create index "artifacts_processing_index" on "artifacts" ("checked_at") where "status" = 'PROCESSING';`,
    );

    this.addSql(`alter table "composition_members" alter column "member_id" drop not null;`);

    this.addSql(`create index "uploads_unclaimed_index" on "uploads" ("created_at") where "claimed_at" is null;`);

    this.addSql(`alter table "spaces" add "deletion_id" uuid null, add "purging_at" timestamptz(3) null;`);
    this.addSql(
      `create index "spaces_deleted_index" on "spaces" ("owner_id", "created_at" desc, "id" desc) where "deleted_at" is not null;`,
    );
    this.addSql(`create index "spaces_purge_index" on "spaces" ("deleted_at") where "deleted_at" is not null;`);
    this.addSql(
      `alter table "spaces" add constraint "spaces_deletion_check" check ((deleted_at is null) = (deletion_id is null));`,
    );
    this.addSql(
      `alter table "spaces" add constraint "spaces_purging_check" check (purging_at is null or deleted_at is not null);`,
    );

    this.addSql(`alter table "sources" add "purging_at" timestamptz(3) null;`);
    this.addSql(
      `create index "sources_of_status_index" on "sources" ("space_id", "status", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "sources_of_type_index" on "sources" ("space_id", "type", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "sources_deleted_index" on "sources" ("space_id", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is not null;`,
    );
    this.addSql(`create index "sources_name_index" on "sources" using gin ("space_id", "name" gin_trgm_ops);`);
    this.addSql(`create index "sources_changed_index" on "sources" ("space_id", "updated_at");`);
    this.addSql(`create index "sources_purge_index" on "sources" ("deleted_at") where "deleted_at" is not null;`);
    this.addSql(
      `alter table "sources" add constraint "sources_purging_check" check (purging_at is null or deleted_at is not null);`,
    );

    this.addSql(`alter table "outbox" drop constraint "outbox_command_check";`);
    this.addSql(
      `alter table "outbox" add "artifact_id" uuid null, add "ticket_id" uuid null, add "space_id" uuid null, add "round" int null, add "deletion_id" uuid null;`,
    );
    this.addSql(
      `alter table "outbox" add constraint "outbox_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "outbox" add constraint "outbox_ticket_id_foreign" foreign key ("ticket_id") references "support_tickets" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "outbox" add constraint "outbox_space_id_foreign" foreign key ("space_id") references "spaces" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "outbox" alter column "generation" drop not null;`);
    this.addSql(`alter table "outbox" alter column "source_id" drop not null;`);
    this.addSql(`create index "outbox_artifact_id_index" on "outbox" ("artifact_id");`);
    this.addSql(`create index "outbox_ticket_id_index" on "outbox" ("ticket_id");`);
    this.addSql(`create index "outbox_space_id_index" on "outbox" ("space_id");`);
    this.addSql(`alter table "outbox" add constraint "outbox_subject_check" check (case command
        when 'process' then artifact_id is not null and round is not null
        when 'send' then ticket_id is not null
        when 'cancel_sources' then space_id is not null and deletion_id is not null
        when 'purge' then source_id is not null or space_id is not null
        else source_id is not null and generation is not null end
      and num_nonnulls(source_id, artifact_id, ticket_id, space_id) = 1);`);
    this.addSql(`alter table "outbox" add constraint "outbox_round_check" check (round >= 1);`);
    this.addSql(
      `alter table "outbox" add constraint "outbox_command_check" check ("command" in ('start', 'cancel', 'reprocess', 'refresh', 'deliver', 'process', 'send', 'cancel_sources', 'purge'));`,
    );

    this.addSql(
      `alter table "support_tickets" add constraint "support_tickets_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "support_tickets" add constraint "support_tickets_sent_check" check ((status = 'SENT') = (sent_at is not null));`,
    );
    this.addSql(
      `alter table "support_tickets" add constraint "support_tickets_reply_address_check" check (char_length(reply_address) between 3 and 320);`,
    );
    this.addSql(
      `alter table "support_tickets" add constraint "support_tickets_message_check" check (char_length(message) between 1 and 10000);`,
    );
    this.addSql(
      `alter table "support_tickets" add constraint "support_tickets_type_check" check ("type" in ('technical', 'billing'));`,
    );
    this.addSql(
      `alter table "support_tickets" add constraint "support_tickets_status_check" check ("status" in ('PENDING', 'SENT'));`,
    );

    this.addSql(
      `alter table "idempotency_keys" add constraint "idempotency_keys_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "idempotency_keys" add constraint "idempotency_keys_key_check" check (char_length(key) between 1 and 255);`,
    );
    this.addSql(
      `alter table "idempotency_keys" add constraint "idempotency_keys_request_hash_check" check (octet_length(request_hash) = 32);`,
    );
    this.addSql(
      `alter table "idempotency_keys" add constraint "idempotency_keys_status_check" check (status between 200 and 299);`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "outbox" drop constraint "outbox_ticket_id_foreign";`);

    this.addSql(`drop table if exists "support_tickets" cascade;`);
    this.addSql(`drop table if exists "idempotency_keys" cascade;`);

    this.addSql(`alter table "outbox" drop constraint "outbox_artifact_id_foreign";`);
    this.addSql(`alter table "outbox" drop constraint "outbox_space_id_foreign";`);

    this.addSql(`drop index "artifacts_of_source_index";`);
    this.addSql(`drop index "artifacts_of_kind_index";`);
    this.addSql(`drop index "artifacts_of_status_index";`);
    this.addSql(`drop index "artifacts_title_index";`);
    this.addSql(`drop index "artifacts_processing_index";`);
    this.addSql(`alter table "artifacts" drop column "checked_at";`);

    this.addSql(`alter table "composition_members" alter column "member_id" set not null;`);

    this.addSql(`drop index "outbox_artifact_id_index";`);
    this.addSql(`drop index "outbox_ticket_id_index";`);
    this.addSql(`drop index "outbox_space_id_index";`);
    this.addSql(`alter table "outbox" drop constraint "outbox_subject_check";`);
    this.addSql(`alter table "outbox" drop constraint "outbox_round_check";`);
    this.addSql(`alter table "outbox" drop constraint "outbox_command_check";`);
    this.addSql(
      `alter table "outbox" drop column "artifact_id", drop column "ticket_id", drop column "space_id", drop column "round", drop column "deletion_id";`,
    );
    this.addSql(`alter table "outbox" alter column "source_id" set not null;`);
    this.addSql(`alter table "outbox" alter column "generation" set not null;`);
    this.addSql(
      `alter table "outbox" add constraint "outbox_command_check" check ("command" in ('start', 'cancel', 'reprocess', 'refresh', 'deliver'));`,
    );

    this.addSql(`drop index "sources_of_status_index";`);
    this.addSql(`drop index "sources_of_type_index";`);
    this.addSql(`drop index "sources_deleted_index";`);
    this.addSql(`drop index "sources_name_index";`);
    this.addSql(`drop index "sources_changed_index";`);
    this.addSql(`drop index "sources_purge_index";`);
    this.addSql(`alter table "sources" drop constraint "sources_purging_check";`);
    this.addSql(`alter table "sources" drop column "purging_at";`);

    this.addSql(`drop index "spaces_deleted_index";`);
    this.addSql(`drop index "spaces_purge_index";`);
    this.addSql(`alter table "spaces" drop constraint "spaces_deletion_check";`);
    this.addSql(`alter table "spaces" drop constraint "spaces_purging_check";`);
    this.addSql(`alter table "spaces" drop column "deletion_id", drop column "purging_at";`);

    this.addSql(`drop index "uploads_unclaimed_index";`);
  }
}
