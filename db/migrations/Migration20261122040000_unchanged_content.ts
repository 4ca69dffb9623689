import { Migration } from '@mikro-orm/migrations';

/** By which a refresh tells that the content of an address has not changed, and whether it had. */
export class Migration20261122040000_unchanged_content extends Migration {
  override name = 'Migration20261122040000_unchanged_content';

  override up(): void {
    this.addSql(`alter table "source_generations" add "content_etag" text null, add "content_last_modified" text null,
      add "content_hash" text null, add "unchanged" boolean not null default false;`);
  }

  override down(): void {
    this.addSql(`alter table "source_generations" drop column "content_etag", drop column "content_last_modified",
      drop column "content_hash", drop column "unchanged";`);
  }
}
