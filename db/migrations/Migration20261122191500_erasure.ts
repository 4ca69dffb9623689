import { Migration } from '@mikro-orm/migrations';

/**
 * Users that are being deleted, what was purged and may still show in Temporal, messages of failures that do not travel
 * through Temporal, and postback secrets encrypted.
 */
export class Migration20261122191500_erasure extends Migration {
  override name = 'Migration20261122191500_erasure';

  override up(): void {
    this.addSql('alter table "users" add "deleting_at" timestamptz(3) null;');
    this.addSql(`create index "users_deleting_index" on "users" ("deleting_at") where "deleting_at" is not null;`);
    this.addSql(
      'alter table "users" add constraint "users_deleting_check" check (deleting_at is null or disabled_at is not null);',
    );
    this.addSql('alter table "users" alter column "postback_secret" drop not null;');
    this.addSql('alter table "users" drop constraint "users_postback_secret_check";');
    // Secrets that lie here in plain are encrypted after the migrations, by db/migrate.ts, which has the key.
    for (const column of ['postback_secret', 'previous_postback_secret']) {
      this.addSql(
        `alter table "users" add constraint "users_${column}_check" check (${column} like 'v1.%') not valid;`,
      );
    }
    this.addSql('alter table "source_generations" add "failure" jsonb null;');
    this.addSql(`create table "tombstones" ("of" text not null, "id" uuid not null,
      "created_at" timestamptz(3) not null default now(), primary key ("of", "id"));`);
    this.addSql(
      `alter table "tombstones" add constraint "tombstones_of_check" check ("of" in ('source', 'space', 'user'));`,
    );
    this.addSql('create index "tombstones_created_at_index" on "tombstones" ("created_at");');
    this.addSql(`create index "support_tickets_sent_index" on "support_tickets" ("sent_at") where "status" = 'SENT';`);
  }

  override down(): void {
    this.addSql('drop index "support_tickets_sent_index";');
    this.addSql('drop table "tombstones";');
    this.addSql('alter table "source_generations" drop column "failure";');
    this.addSql('alter table "users" drop constraint "users_previous_postback_secret_check";');
    this.addSql('alter table "users" drop constraint "users_postback_secret_check";');
    this.addSql(
      `alter table "users" add constraint "users_postback_secret_check" check (postback_secret like 'whsec_%') not valid;`,
    );
    this.addSql('alter table "users" drop constraint "users_deleting_check";');
    this.addSql('drop index "users_deleting_index";');
    this.addSql('alter table "users" drop column "deleting_at";');
  }
}
