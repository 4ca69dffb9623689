/** A client of the service in a few lines: fetch, the key, and a look at the answer. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export interface Answer {
  status: number;
  body: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT';

export class Api {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Sends a request, and again after a 429 when its Retry-After has passed. */
  async send(method: Method, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
    for (;;) {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      if (response.status !== 429) return { status: response.status, body: answer };
      await delay(1000 * Number(response.headers.get('retry-after') ?? 1));
    }
  }

  /** Sends a request and returns what `schema` finds in the answer. @throws Error with the answer when it is no 2xx. */
  async ask<T>(schema: z.ZodType<T>, method: Method, path: string, body?: object): Promise<T> {
    const answer = await this.send(method, path, body);
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return schema.parse(answer.body);
  }
}

export const sourceSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  status: z.enum(['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED']),
  generation: z.int(),
  resultGeneration: z.int().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  progress: z.object({ stage: z.string() }).nullable(),
  postback: z.object({ state: z.string(), attempts: z.int() }).nullable(),
  stale: z.boolean(),
});
export type Source = z.infer<typeof sourceSchema>;

/** The service's envelope around one resource. */
export function dataOf<T>(schema: z.ZodType<T>): z.ZodType<{ data: T }> {
  return z.object({ data: schema });
}
