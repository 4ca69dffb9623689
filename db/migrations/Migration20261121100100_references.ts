import { Migration } from '@mikro-orm/migrations';

/** Foreign keys over two columns and deferred ones, which entities cannot express. */
export class Migration20261121100100_references extends Migration {
  override name = 'Migration20261121100100_references';

  override up(): void {
    // A source's owner is its space's owner; its collection lies in its space.
    this.addSql(`alter table "sources" add constraint "sources_space_owner_foreign"
      foreign key ("space_id", "owner_id") references "spaces" ("id", "owner_id") on update cascade on delete cascade;`);
    this.addSql(`alter table "sources" add constraint "sources_collection_foreign"
      foreign key ("space_id", "collection_id") references "collections" ("space_id", "id")
      on delete set null ("collection_id");`);
    this.addSql(`alter table "collections" add constraint "collections_parent_foreign"
      foreign key ("space_id", "parent_id") references "collections" ("space_id", "id") on delete cascade;`);
    // The current generation has its row, and the shown result is a generation of this very source.
    this.addSql(`alter table "sources" add constraint "sources_generation_foreign"
      foreign key ("id", "generation") references "source_generations" ("source_id", "generation")
      deferrable initially deferred;`);
    this.addSql(`alter table "sources" add constraint "sources_result_foreign"
      foreign key ("id", "result_generation_id") references "source_generations" ("source_id", "id")
      deferrable initially deferred;`);
    this.addSql(`alter table "composition_members" add constraint "composition_members_composition_foreign"
      foreign key ("composition_id", "space_id") references "sources" ("id", "space_id") on delete cascade;`);
    this.addSql(`alter table "composition_members" add constraint "composition_members_member_foreign"
      foreign key ("member_id", "space_id") references "sources" ("id", "space_id") on delete cascade;`);
    this.addSql(`alter table "artifacts" add constraint "artifacts_source_foreign"
      foreign key ("source_id", "space_id") references "sources" ("id", "space_id") on delete cascade;`);
    this.addSql(`alter table "artifacts" add constraint "artifacts_promoted_source_foreign"
      foreign key ("promoted_source_id") references "sources" ("id") on delete set null;`);
    this.addSql(`alter table "postbacks" add constraint "postbacks_generation_of_source_foreign"
      foreign key ("source_id", "generation_id") references "source_generations" ("source_id", "id") on delete cascade;`);
    // A command that is written wakes the dispatchers.
    this.addSql(`create function "notify_outbox"() returns trigger language plpgsql as $$
      begin perform pg_notify('outbox', ''); return null; end $$;`);
    this.addSql(`create trigger "outbox_notify" after insert on "outbox"
      for each statement execute function "notify_outbox"();`);
  }

  override down(): void {
    this.addSql('drop trigger "outbox_notify" on "outbox";');
    this.addSql('drop function "notify_outbox";');
    for (const [table, constraint] of [
      ['postbacks', 'postbacks_generation_of_source_foreign'],
      ['artifacts', 'artifacts_promoted_source_foreign'],
      ['artifacts', 'artifacts_source_foreign'],
      ['composition_members', 'composition_members_member_foreign'],
      ['composition_members', 'composition_members_composition_foreign'],
      ['sources', 'sources_result_foreign'],
      ['sources', 'sources_generation_foreign'],
      ['collections', 'collections_parent_foreign'],
      ['sources', 'sources_collection_foreign'],
      ['sources', 'sources_space_owner_foreign'],
    ]) {
      this.addSql(`alter table "${table}" drop constraint "${constraint}";`);
    }
  }
}
