import { Migration } from '@mikro-orm/migrations';

/** What `on_member_failure` says counts from the next generation, so that each generation keeps what it was to do. */
export class Migration20261121205410_generation_options extends Migration {
  override name = 'Migration20261121205410_generation_options';

  override up(): void {
    this.addSql('alter table "source_generations" add "skips_failed_members" boolean not null default false;');
    this.addSql(`update "source_generations" g set "skips_failed_members" = true from "sources" s
      where s."id" = g."source_id" and s."instructions" ->> 'on_member_failure' = 'skip';`);
  }

  override down(): void {
    this.addSql('alter table "source_generations" drop column "skips_failed_members";');
  }
}
