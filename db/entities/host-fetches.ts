import { defineEntity, p } from '@mikro-orm/postgresql';
import { User } from './user.ts';

/** Fetches of an owner from one host in the minute that began at `begunAt`. */
export const HostFetches = defineEntity({
  name: 'HostFetches',
  tableName: 'host_fetches',
  properties: {
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade').primary(),
    host: p.text().primary(),
    begunAt: p.datetime(3).defaultRaw('now()'),
    fetches: p.integer().default(1),
  },
});
