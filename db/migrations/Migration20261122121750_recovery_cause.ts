import { Migration } from '@mikro-orm/migrations';

/** Why a repair by the service replaced a run. */
export class Migration20261122121750_recovery_cause extends Migration {
  override name = 'Migration20261122121750_recovery_cause';

  override up(): void {
    this.addSql('alter table "source_generations" add "cause" text null;');
    this.addSql(`alter table "source_generations" add constraint "source_generations_cause_check"
      check ("cause" in ('missing', 'closed', 'failing', 'stuck', 'idle', 'behind', 'ahead'));`);
    this.addSql(`alter table "source_generations" add constraint "source_generations_recovery_check"
      check (cause is null or trigger = 'recovery');`);
  }

  override down(): void {
    this.addSql('alter table "source_generations" drop constraint "source_generations_recovery_check";');
    this.addSql('alter table "source_generations" drop constraint "source_generations_cause_check";');
    this.addSql('alter table "source_generations" drop column "cause";');
  }
}
