/** Budgets of a minute, counted in PostgreSQL, so that all replicas share them. */
import { Pool } from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../../../platform/logger.ts';
import { coalesce } from './coalesce.ts';

const WINDOW_SECONDS = 60;
/** Refusing is decided here, by the plan; the limiter only counts. */
const POINTS = 2 ** 31 - 1;
/** A limiter that is slower than this is passed over: nobody waits for it. */
const QUERY_TIMEOUT_MS = 300;
const CONNECT_TIMEOUT_MS = 1_000;
const CONNECTIONS = 4;

/** What a window holds. */
export interface Counted {
  /** Requests since the window began, up to the last of those that were counted now. */
  requests: number;
  /** Until the window ends. */
  remainingMs: number;
}

export interface RateLimits {
  /** Counts requests of an owner, over all keys and protocols. */
  countRequests(ownerId: string, requests: number): Promise<Counted>;
  /** Counts a request with a wrong key. */
  countWrongKey(address: string): Promise<Counted>;
  close(): Promise<void>;
}

/** Counts for this process alone while PostgreSQL is away or slow. */
class Insurance extends RateLimiterMemory {
  readonly #used: () => void;
  constructor(keyPrefix: string, used: () => void) {
    super({ keyPrefix, points: POINTS, duration: WINDOW_SECONDS });
    this.#used = used;
  }

  override consume(...args: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#used();
    return super.consume(...args);
  }
}

/** Opens the counters on connections of their own, so that they never wait for other statements. */
export function openRateLimits(databaseUrl: string, logger: Logger): RateLimits {
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: 'context-workspace-limits',
    max: CONNECTIONS,
    keepAlive: true,
    query_timeout: QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Counters of a minute need not survive a crash.
    options: '-c synchronous_commit=off',
  });
  pool.on('error', (error) => logger.warn({ event: 'limits.connection_lost', message: error.message }));

  /** Counts by key; what comes at the same time for one key goes to the database as one sum. */
  function counter(keyPrefix: string) {
    const limiter = new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix,
      points: POINTS,
      duration: WINDOW_SECONDS,
      insuranceLimiter: new Insurance(keyPrefix, () => logger.warn({ event: 'limits.counted_in_memory', keyPrefix })),
    });
    return coalesce<number, Counted>(async (key, items) => {
      const sum = items.reduce((total, item) => total + item, 0);
      const { consumedPoints, msBeforeNext } = await limiter.consume(key, sum);
      let requests = consumedPoints - sum;
      return items.map((item) => {
        requests += item;
        return { requests, remainingMs: msBeforeNext };
      });
    });
  }

  const owners = counter('owner');
  const wrongKeys = counter('wrong-key');
  return {
    countRequests: owners,
    countWrongKey: (address) => wrongKeys(address, 1),
    close: () => pool.end(),
  };
}
