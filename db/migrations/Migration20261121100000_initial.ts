import { Migration } from '@mikro-orm/migrations';

export class Migration20261121100000_initial extends Migration {
  override name = 'Migration20261121100000_initial';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "artifacts" ("id" uuid not null, "source_id" uuid not null, "space_id" uuid not null, "kind" text not null, "content_hash" char(64) not null, "ordinal" int not null, "title" text not null, "content" text not null, "language" text null, "position" jsonb not null, "metadata" jsonb not null, "status" text not null default 'EXTRACTED', "promoted_source_id" uuid null, "round" int not null default 0, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `alter table "artifacts" add constraint "artifacts_promoted_source_id_unique" unique ("promoted_source_id");`,
    );
    this.addSql(`create index "artifacts_of_space_index" on "artifacts" ("space_id", "created_at" desc, "id" desc);`);
    this.addSql(
      `alter table "artifacts" add constraint "artifacts_identity_unique" unique ("source_id", "kind", "content_hash", "ordinal");`,
    );
    this.addSql(`alter table "artifacts" add constraint "artifacts_ordinal_check" check (ordinal >= 0);`);
    this.addSql(
      `alter table "artifacts" add constraint "artifacts_kind_check" check ("kind" in ('code', 'command', 'table', 'link', 'image', 'diagram', 'formula', 'task', 'decision', 'question', 'requirement'));`,
    );
    this.addSql(
      `alter table "artifacts" add constraint "artifacts_status_check" check ("status" in ('EXTRACTED', 'PROCESSING', 'PROCESSED', 'FAILED'));`,
    );

    this.addSql(
      `create table "composition_members" ("composition_id" uuid not null, "position" smallint not null, "space_id" uuid not null, "member_id" uuid not null, "awaited_generation" int null, "joined_generation" int null, "used_generation" int null, primary key ("composition_id", "position"));`,
    );
    this.addSql(`create index "composition_members_member_id_index" on "composition_members" ("member_id");`);
    this.addSql(
      `alter table "composition_members" add constraint "composition_members_member_unique" unique ("composition_id", "member_id");`,
    );
    this.addSql(
      `alter table "composition_members" add constraint "composition_members_position_check" check (position between 0 and 99);`,
    );
    this.addSql(
      `alter table "composition_members" add constraint "composition_members_member_id_check" check (member_id <> composition_id);`,
    );

    this.addSql(
      `create table "leases" ("name" text not null, "holder" uuid not null, "until" timestamptz(3) not null, primary key ("name"));`,
    );

    this.addSql(
      `create table "users" ("id" uuid not null, "email" text not null, "name" text not null, "plan" text not null default 'free', "disabled_at" timestamptz(3) null, "postback_secret" text not null, "previous_postback_secret" text null, "previous_postback_secret_expires_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`);
    this.addSql(
      `alter table "users" add constraint "users_previous_secret_check" check ((previous_postback_secret is null) = (previous_postback_secret_expires_at is null));`,
    );
    this.addSql(
      `alter table "users" add constraint "users_email_check" check (email = lower(email) and position('@' in email) > 1);`,
    );
    this.addSql(
      `alter table "users" add constraint "users_postback_secret_check" check (postback_secret like 'whsec_%');`,
    );
    this.addSql(`alter table "users" add constraint "users_plan_check" check ("plan" in ('free', 'pro'));`);

    this.addSql(
      `create table "uploads" ("id" uuid not null, "owner_id" uuid not null, "file_key" text not null, "filename" text not null, "content_type" text not null, "size_bytes" bigint not null, "created_at" timestamptz(3) not null default now(), "claimed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "uploads_owner_id_index" on "uploads" ("owner_id");`);
    this.addSql(`alter table "uploads" add constraint "uploads_file_key_unique" unique ("file_key");`);
    this.addSql(`alter table "uploads" add constraint "uploads_file_key_check" check (file_key like 'uploads/%');`);
    this.addSql(`alter table "uploads" add constraint "uploads_size_bytes_check" check (size_bytes > 0);`);

    this.addSql(
      `create table "spaces" ("id" uuid not null, "owner_id" uuid not null, "name" text not null, "description" text not null default '', "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "deleted_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "spaces_of_owner_index" on "spaces" ("owner_id", "created_at" desc, "id" desc) where "deleted_at" is null;`,
    );
    this.addSql(`alter table "spaces" add constraint "spaces_id_owner_unique" unique ("id", "owner_id");`);
    this.addSql(`alter table "spaces" add constraint "spaces_name_check" check (char_length(name) between 1 and 200);`);
    this.addSql(
      `alter table "spaces" add constraint "spaces_description_check" check (char_length(description) <= 10000);`,
    );

    this.addSql(
      `create table "sources" ("id" uuid not null, "owner_id" uuid not null, "space_id" uuid not null, "collection_id" uuid null, "type" text not null, "name" text not null, "name_derived" boolean not null, "status" text not null, "generation" int not null, "revision" bigint not null default '1', "result_generation_id" uuid null, "initial_data" jsonb not null, "instructions" jsonb not null, "metadata" jsonb not null, "external_id" text null, "pinned" boolean not null default false, "upload_id" uuid null, "postback_gone_url" text null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "deleted_at" timestamptz(3) null, "checked_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "sources_owner_id_index" on "sources" ("owner_id");`);
    this.addSql(`create index "sources_upload_id_index" on "sources" ("upload_id");`);
    this.addSql(
      `create index "sources_of_space_index" on "sources" ("space_id", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "sources_of_collection_index" on "sources" ("collection_id", "pinned" desc, "created_at" desc, "id" desc) where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "sources_open_index" on "sources" ("checked_at") where "status" in ('CREATED', 'PENDING', 'PROCESSING');`,
    );
    this.addSql(`alter table "sources" add constraint "sources_id_space_unique" unique ("id", "space_id");`);
    this.addSql(
      `create unique index "sources_external_id_unique" on "sources" ("space_id", "external_id") where "deleted_at" is null and "external_id" is not null;`,
    );
    this.addSql(
      `alter table "sources" add constraint "sources_upload_check" check ((type = 'FILE') = (upload_id is not null));`,
    );
    this.addSql(
      `alter table "sources" add constraint "sources_name_check" check (char_length(name) between 1 and 200);`,
    );
    this.addSql(`alter table "sources" add constraint "sources_generation_check" check (generation >= 1);`);
    this.addSql(
      `alter table "sources" add constraint "sources_external_id_check" check (char_length(external_id) between 1 and 255);`,
    );
    this.addSql(
      `alter table "sources" add constraint "sources_type_check" check ("type" in ('URI', 'FILE', 'CONTENT', 'COMPOSITION'));`,
    );
    this.addSql(
      `alter table "sources" add constraint "sources_status_check" check ("status" in ('CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'));`,
    );

    this.addSql(
      `create table "source_generations" ("id" uuid not null, "source_id" uuid not null, "generation" int not null, "trigger" text not null, "fetches" boolean not null, "run_context_extraction" boolean not null, "run_artifact_extraction" boolean not null, "repairs" smallint not null default 0, "claim_etag" text null, "created_at" timestamptz(3) not null default now(), "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "stage" text null, "stage_times" jsonb not null default '{}', "outcome" text null, "error" jsonb null, "content_key" text null, "content_type" text null, "content_size" bigint null, "content_url" text null, "content_generation" int null, "markdown_key" text null, "context_key" text null, "context" jsonb null, "context_generation" int null, "found_artifacts" jsonb null, "artifacts_generation" int null, "skipped_members" jsonb not null default '[]', primary key ("id"));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_number_unique" unique ("source_id", "generation");`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_source_id_unique" unique ("source_id", "id");`,
    );
    this.addSql(
      `create unique index "source_generations_one_open_unique" on "source_generations" ("source_id") where "outcome" is null;`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_finished_check" check ((outcome is null) = (finished_at is null));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_error_check" check ((outcome is not distinct from 'FAILED') = (error is not null));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_context_check" check ((context_generation is null) = (context is null) and (context is null) = (context_key is null) and (context is null) = (markdown_key is null));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_found_artifacts_check" check (found_artifacts is null or outcome is null);`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_content_check" check ((content_key is null) = (content_generation is null));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_generation_check" check (generation >= 1);`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_trigger_check" check ("trigger" in ('create', 'update', 'reprocess', 'refresh', 'recovery'));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_stage_check" check ("stage" in ('begin', 'wait', 'fetch', 'context', 'artifacts', 'finish'));`,
    );
    this.addSql(
      `alter table "source_generations" add constraint "source_generations_outcome_check" check ("outcome" in ('COMPLETED', 'FAILED', 'CANCELED', 'SUPERSEDED'));`,
    );

    this.addSql(
      `create table "postbacks" ("id" uuid not null, "source_id" uuid not null, "generation_id" uuid not null, "url" text not null, "body" text not null, "state" text not null default 'pending', "round" int not null default 1, "attempts" int not null default 0, "last_status_code" int null, "next_attempt_at" timestamptz(3) null, "reason" text null, "created_at" timestamptz(3) not null default now(), "checked_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "postbacks_source_id_index" on "postbacks" ("source_id");`);
    this.addSql(`alter table "postbacks" add constraint "postbacks_generation_id_unique" unique ("generation_id");`);
    this.addSql(`create index "postbacks_pending_index" on "postbacks" ("checked_at") where "state" = 'pending';`);
    this.addSql(
      `alter table "postbacks" add constraint "postbacks_next_check" check ((state = 'pending') = (next_attempt_at is not null));`,
    );
    this.addSql(`alter table "postbacks" add constraint "postbacks_body_check" check (octet_length(body) < 20000);`);
    this.addSql(
      `alter table "postbacks" add constraint "postbacks_state_check" check ("state" in ('pending', 'delivered', 'failed', 'disabled'));`,
    );

    this.addSql(
      `create table "postback_attempts" ("postback_id" uuid not null, "round" int not null, "attempt" int not null, "at" timestamptz(3) not null, "status_code" int null, "duration_ms" int not null, "response" text null, "error" text null, primary key ("postback_id", "round", "attempt"));`,
    );
    this.addSql(
      `alter table "postback_attempts" add constraint "postback_attempts_attempt_check" check (attempt >= 1);`,
    );

    this.addSql(
      `create table "collections" ("id" uuid not null, "space_id" uuid not null, "parent_id" uuid null, "name" text not null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "collections_parent_id_index" on "collections" ("parent_id");`);
    this.addSql(`alter table "collections" add constraint "collections_space_id_unique" unique ("space_id", "id");`);
    this.addSql(`alter table "collections" add constraint "collections_parent_id_check" check (parent_id <> id);`);
    this.addSql(
      `alter table "collections" add constraint "collections_name_check" check (char_length(name) between 1 and 200);`,
    );

    this.addSql(
      `create table "outbox" ("id" bigserial primary key, "owner_id" uuid not null, "source_id" uuid not null, "command" text not null, "generation" int not null, "end_run_id" text null, "available_at" timestamptz(3) not null default now(), "lease_token" uuid null, "attempts" int not null default 0, "refusals" int not null default 0, "last_error" text null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "outbox_source_id_index" on "outbox" ("source_id");`);
    this.addSql(`create index "outbox_turns_index" on "outbox" ("owner_id", "available_at", "id");`);
    this.addSql(`alter table "outbox" add constraint "outbox_generation_check" check (generation >= 1);`);
    this.addSql(
      `alter table "outbox" add constraint "outbox_command_check" check ("command" in ('start', 'cancel', 'reprocess', 'refresh', 'deliver'));`,
    );

    this.addSql(
      `create table "api_keys" ("id" uuid not null, "user_id" uuid not null, "name" text not null, "key_hash" bytea not null, "prefix" text not null, "last4" text not null, "scopes" text[] not null, "expires_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "api_keys_user_id_index" on "api_keys" ("user_id");`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_key_hash_unique" unique ("key_hash");`);
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_name_check" check (char_length(name) between 1 and 200);`,
    );
    this.addSql(`alter table "api_keys" add constraint "api_keys_key_hash_check" check (octet_length(key_hash) = 32);`);
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_scopes_check" check (scopes <@ array['read','write']::text[] and cardinality(scopes) > 0);`,
    );

    this.addSql(
      `alter table "uploads" add constraint "uploads_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "spaces" add constraint "spaces_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "sources" add constraint "sources_space_id_foreign" foreign key ("space_id") references "spaces" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "sources" add constraint "sources_upload_id_foreign" foreign key ("upload_id") references "uploads" ("id") on delete no action;`,
    );

    this.addSql(
      `alter table "source_generations" add constraint "source_generations_source_id_foreign" foreign key ("source_id") references "sources" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "postbacks" add constraint "postbacks_generation_id_foreign" foreign key ("generation_id") references "source_generations" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "postback_attempts" add constraint "postback_attempts_postback_id_foreign" foreign key ("postback_id") references "postbacks" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "collections" add constraint "collections_space_id_foreign" foreign key ("space_id") references "spaces" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "outbox" add constraint "outbox_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "outbox" add constraint "outbox_source_id_foreign" foreign key ("source_id") references "sources" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "api_keys" add constraint "api_keys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`,
    );
  }
}
