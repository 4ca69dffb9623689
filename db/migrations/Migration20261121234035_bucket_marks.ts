import { Migration } from '@mikro-orm/migrations';

/** The marks that the database gave its bucket: one that was restored does not know the newest. */
export class Migration20261121234035_bucket_marks extends Migration {
  override name = 'Migration20261121234035_bucket_marks';

  override up(): void {
    this.addSql(
      `create table "bucket_marks" ("id" uuid not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "bucket_marks_created_at_index" on "bucket_marks" ("created_at");`);
  }

  override down(): void {
    this.addSql('drop table "bucket_marks";');
  }
}
