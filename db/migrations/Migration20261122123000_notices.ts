import { Migration } from '@mikro-orm/migrations';

const notifications: [name: string, channel: string, payload: string][] = [
  ['notify_outbox', 'outbox', `''`],
  ['notify_source_change', 'changes', `'source:' || new.id || ':' || new.space_id`],
  ['notify_space_change', 'changes', `'space:' || new.id`],
  ['notify_key_change', 'changes', `'key:' || old.id`],
  ['notify_user_change', 'changes', `'user:' || new.id`],
];

/** Triggers raise a notice to their own connection; db/notification-relay.ts notifies after the commit. */
export class Migration20261122123000_notices extends Migration {
  override name = 'Migration20261122123000_notices';

  override up(): void {
    for (const [name, channel, payload] of notifications) {
      // Of all levels, INFO alone reaches the client whatever client_min_messages says.
      this.addSql(`create or replace function "${name}"() returns trigger language plpgsql as $$
        begin raise info using errcode = 'ZN001', message = '${channel}', detail = ${payload}; return null; end $$;`);
    }
  }

  override down(): void {
    for (const [name, channel, payload] of notifications) {
      this.addSql(`create or replace function "${name}"() returns trigger language plpgsql as $$
        begin perform pg_notify('${channel}', ${payload}); return null; end $$;`);
    }
  }
}
