/** Requests over a fixed number of connections, each sending its next one when its last was answered. */
import { Pool } from 'undici';

export interface BenchRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface Measured {
  /** Answers in a second. */
  rate: number;
  /** Milliseconds of each. */
  latencies: number[];
}

/** One side of a comparison. */
export interface Side {
  /** The request number `index`, and what is to be done while it is under way. */
  request: (index: number) => BenchRequest;
  meanwhile?: (index: number) => Promise<unknown>;
}

/** A client of one server with `connections` connections. */
export function openLoad(url: string, connections: number) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  let index = 0;

  async function once({ request, meanwhile }: Side): Promise<void> {
    const number = index++;
    const { method, path, body, headers = {} } = request(number);
    const answering = pool.request({
      method,
      path,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    const [answer] = await Promise.all([answering, meanwhile?.(number)]);
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
  }

  return {
    /** Sends for `ms` milliseconds. */
    async run(side: Side, ms: number): Promise<Measured> {
      const latencies: number[] = [];
      const begun = performance.now();
      async function lane(): Promise<void> {
        while (performance.now() - begun < ms) {
          const sent = performance.now();
          await once(side);
          latencies.push(performance.now() - sent);
        }
      }
      await Promise.all(Array.from({ length: connections }, lane));
      return { rate: (latencies.length / (performance.now() - begun)) * 1_000, latencies };
    },
    stop: () => pool.close(),
  };
}
export type Load = ReturnType<typeof openLoad>;
