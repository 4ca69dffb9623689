import { Migration } from '@mikro-orm/migrations';

/** The worker that enriches an artifact is notified of the end of its round, by an operator's cancel for example. */
export class Migration20261122190000_artifact_changes extends Migration {
  override name = 'Migration20261122190000_artifact_changes';

  override up(): void {
    this.addSql(`create function "notify_artifact_change"() returns trigger language plpgsql as $$
      begin raise info using errcode = 'ZN001', message = 'changes', detail = 'artifact:' || old.id; return null; end $$;`);
    this.addSql(`create trigger "artifacts_ended_notify" after update on "artifacts" for each row
      when (old.status = 'PROCESSING' and new.status <> 'PROCESSING') execute function "notify_artifact_change"();`);
    this.addSql(`create trigger "artifacts_deleted_notify" after delete on "artifacts" for each row
      when (old.status = 'PROCESSING') execute function "notify_artifact_change"();`);
  }

  override down(): void {
    this.addSql('drop trigger "artifacts_deleted_notify" on "artifacts";');
    this.addSql('drop trigger "artifacts_ended_notify" on "artifacts";');
    this.addSql('drop function "notify_artifact_change";');
  }
}
