/** The ORM's configuration, for the service itself and for the MikroORM command line (`npx mikro-orm`). */
import { fileURLToPath } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import type { ClientConfig } from 'pg';
import { databaseUrlForTools } from '../platform/config.ts';
import { ApiKey } from './entities/api-key.ts';
import { Artifact } from './entities/artifact.ts';
import { BucketMark } from './entities/bucket-mark.ts';
import { Collection } from './entities/collection.ts';
import { CompositionMember } from './entities/composition-member.ts';
import { HostFetches } from './entities/host-fetches.ts';
import { IdempotencyKey } from './entities/idempotency-key.ts';
import { Lease } from './entities/lease.ts';
import { OutboxCommand } from './entities/outbox-command.ts';
import { Postback } from './entities/postback.ts';
import { PostbackAttempt } from './entities/postback-attempt.ts';
import { Source } from './entities/source.ts';
import { SourceGeneration } from './entities/source-generation.ts';
import { Space } from './entities/space.ts';
import { SupportTicket } from './entities/support-ticket.ts';
import { Tombstone } from './entities/tombstone.ts';
import { Upload } from './entities/upload.ts';
import { UsagePart } from './entities/usage-part.ts';
import { User } from './entities/user.ts';
import { connectionOptions, STATEMENT_TIMEOUT_MS } from './response-timeouts.ts';

/** Server-side time-outs for the connections of service processes. */
const serving = { statement_timeout: STATEMENT_TIMEOUT_MS, idle_in_transaction_session_timeout: 30_000 };
/**
 * How long an idle connection is kept, in milliseconds. Longer than the pause between two bursts: a new connection logs
 * in and plans its statements again, which costs more than its work for one source.
 */
const KEPT_IDLE_MS = 10 * 60_000;
/** No time-outs for migrations, whatever the defaults of the database or role. */
export const migrating = { options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0' };

/** ORM configuration for the database at `clientUrl`, with a pool of at most `poolMax` connections. */
export function ormConfig(clientUrl: string, poolMax: number, timeouts: ClientConfig = serving) {
  return defineConfig({
    clientUrl,
    entities: [
      User,
      ApiKey,
      Space,
      Collection,
      Upload,
      Source,
      SourceGeneration,
      CompositionMember,
      Artifact,
      SupportTicket,
      OutboxCommand,
      Postback,
      PostbackAttempt,
      Lease,
      BucketMark,
      IdempotencyKey,
      HostFetches,
      UsagePart,
      Tombstone,
    ],
    extensions: [Migrator],
    forceUtcTimezone: true,
    // Otherwise opening queries the server, and no process starts while that is down.
    ensureDatabase: false,
    // The rate limiter's own table (see the migrations).
    schemaGenerator: { skipTables: ['rate_limits'] },
    // Otherwise the filter of a deleted parent would be joined, and the parent locked with the child.
    autoJoinRefsForFilters: false,
    pool: { min: 0, max: poolMax },
    driverOptions: {
      ...connectionOptions,
      idleTimeoutMillis: KEPT_IDLE_MS,
      application_name: 'context-workspace',
      ...timeouts,
    },
    migrations: {
      path: fileURLToPath(new URL('./migrations', import.meta.url)),
      glob: '!(*.d).{ts,js}',
      emit: 'ts',
      silent: true,
      snapshotName: '.snapshot',
      // The snapshot is that of the entities; foreign keys written by hand are not drift.
      snapshotOnMigrate: false,
    },
  });
}

/** For the MikroORM command line, which generates and checks migrations and needs only DATABASE_URL. */
export default ormConfig(databaseUrlForTools(), 2, migrating);
