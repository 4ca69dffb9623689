/** Closed-loop load: each of a fixed number of connections sends its next request after the last response. */
import { Pool } from 'undici';

export interface BenchRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface LoadResult {
  /** Responses per second. */
  rate: number;
  /** Milliseconds of each request. */
  latencies: number[];
}

/** One side of a comparison. */
export interface Side {
  /** Returns the request with the number `index`. */
  request: (index: number) => BenchRequest;
  /** Work to run concurrently with the request. */
  meanwhile?: (index: number) => Promise<unknown>;
}

/** Opens a client of one server with `connections` connections. */
export function openLoad(url: string, connections: number) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  let index = 0;

  async function sendOne({ request, meanwhile }: Side): Promise<void> {
    const number = index++;
    const { method, path, body, headers = {} } = request(number);
    const pending = pool.request({
      method,
      path,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    const [response] = await Promise.all([pending, meanwhile?.(number)]);
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
  }

  return {
    /** Sends requests for `ms` milliseconds. */
    async run(side: Side, ms: number): Promise<LoadResult> {
      const latencies: number[] = [];
      const begun = performance.now();
      async function runConnection(): Promise<void> {
        while (performance.now() - begun < ms) {
          const sent = performance.now();
          await sendOne(side);
          latencies.push(performance.now() - sent);
        }
      }
      await Promise.all(Array.from({ length: connections }, runConnection));
      return { rate: (latencies.length / (performance.now() - begun)) * 1_000, latencies };
    },
    stop: () => pool.close(),
  };
}
export type Load = ReturnType<typeof openLoad>;
