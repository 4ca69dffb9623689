import { Migration } from '@mikro-orm/migrations';

/** What the reconciler has seen of a source's run, and postbacks by the time at which they are due. */
export class Migration20261121231316_reconciliation extends Migration {
  override name = 'Migration20261121231316_reconciliation';

  override up(): void {
    this.addSql('alter table "sources" add "stuck_since" timestamptz(3) null, add "reminded_at" timestamptz(3) null;');
    this.addSql('drop index "postbacks_pending_index";');
    this.addSql(`create index "postbacks_due_index" on "postbacks" ("next_attempt_at") where "state" = 'pending';`);
  }

  override down(): void {
    this.addSql('drop index "postbacks_due_index";');
    this.addSql(`create index "postbacks_pending_index" on "postbacks" ("checked_at") where "state" = 'pending';`);
    this.addSql('alter table "sources" drop column "stuck_since", drop column "reminded_at";');
  }
}
