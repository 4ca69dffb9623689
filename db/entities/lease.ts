import { defineEntity, p } from '@mikro-orm/postgresql';

/** A named exclusive lock with an expiry, so a paused holder does not block others. */
export const Lease = defineEntity({
  name: 'Lease',
  tableName: 'leases',
  properties: {
    name: p.text().primary(),
    holder: p.uuid(),
    until: p.datetime(3),
  },
});
