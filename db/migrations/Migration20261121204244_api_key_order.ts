import { Migration } from '@mikro-orm/migrations';

/** Keys are listed in their order: the newest first, page by page. */
export class Migration20261121204244_api_key_order extends Migration {
  override name = 'Migration20261121204244_api_key_order';

  override up(): void {
    this.addSql('drop index "api_keys_user_id_index";');
    this.addSql('create index "api_keys_of_user_index" on "api_keys" ("user_id", "created_at" desc, "id" desc);');
  }

  override down(): void {
    this.addSql('drop index "api_keys_of_user_index";');
    this.addSql('create index "api_keys_user_id_index" on "api_keys" ("user_id");');
  }
}
