import { defineEntity, p } from '@mikro-orm/postgresql';

/** A right to do something alone for a while, by name. A lease ends by itself, so a paused holder blocks nobody. */
export const Lease = defineEntity({
  name: 'Lease',
  tableName: 'leases',
  properties: {
    name: p.text().primary(),
    holder: p.uuid(),
    until: p.datetime(3),
  },
});
