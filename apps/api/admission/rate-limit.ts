/** Counters of requests per minute in PostgreSQL, shared by all replicas. */
import { Pool } from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../../../platform/logger.ts';
import { coalesce } from './coalesce.ts';

const WINDOW_SECONDS = 60;
/** Above every limit: the limiter only counts, and admission.ts compares with the limit of the plan. */
const POINTS = 2 ** 31 - 1;
/** A request does not wait longer for its counter: it is then counted in memory. */
const QUERY_TIMEOUT_MS = 300;
const CONNECT_TIMEOUT_MS = 1_000;
const CONNECTIONS = 4;

/** State of a counter's window. */
export interface Counted {
  /** Requests since the window began, including those counted by this call. */
  requests: number;
  /** Time until the window ends. */
  remainingMs: number;
}

export interface RateLimits {
  /** Counts requests of an owner, over all keys and protocols. */
  countRequests(ownerId: string, requests: number): Promise<Counted>;
  /** Counts a request with a wrong key. */
  countWrongKey(address: string): Promise<Counted>;
  close(): Promise<void>;
}

/** In-memory counters of this process, used while PostgreSQL is unavailable or slow. */
class Insurance extends RateLimiterMemory {
  readonly #onUse: () => void;
  constructor(keyPrefix: string, onUse: () => void) {
    super({ keyPrefix, points: POINTS, duration: WINDOW_SECONDS });
    this.#onUse = onUse;
  }

  override consume(...args: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#onUse();
    return super.consume(...args);
  }
}

/** Opens the counters on separate connections, so that they never wait for other statements. */
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

  /** A counter by key; concurrent requests of one key are sent to the database as one sum. */
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
