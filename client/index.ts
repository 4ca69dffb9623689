/**
 * A typed client of the service: every procedure with the types of its input and its result.
 *
 *   const api = createClient({ url: 'http://127.0.0.1:8080', apiKey });
 *   const space = await api.spaces.create.mutate({ name: 'My project' });
 *   const { data } = await api.sources.list.query({ spaceId: space.id });
 *   for await (const { data } of api.sources.events.subscribe({ sourceId })) console.log(data);
 *
 * Each call is one request: the rate limit counts the calls of a batch one by one, so batches would save nothing.
 */
import {
  createTRPCClient,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
  type TRPCLink,
} from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { EventSource } from 'eventsource';
import type { AppRouter } from '../apps/api/routers/index.ts';
import { ApiError } from './api-error.ts';
import { fetchWithRetry } from './fetch.ts';

/** The body of a postback, once its signature was verified. */
export type { Postback } from '../apps/api/routers/index.ts';
export { ApiError } from './api-error.ts';
export { waitForSource } from './wait-for-source.ts';

export type Client = TRPCClient<AppRouter>;
/** Inputs and results of procedures: `Outputs['sources']['get']`. */
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;

export interface ClientOptions {
  /** URL of the service, without /v1: `https://api.example.com`. */
  url: string;
  apiKey: string;
  /**
   * Limit of the total wait of a call after 429 responses, in seconds: it is repeated each time that Retry-After has
   * passed. 0, the default, throws the ApiError immediately.
   */
  waitWhenLimited?: number;
}

/** Options of a POST that make it safe to repeat: with the same key and input it has one effect and one response. */
export function idempotencyKey(key: string): { context: { idempotencyKey: string } } {
  return { context: { idempotencyKey: key } };
}

/** A client with `apiKey` at `url`. Its calls throw ApiError for error responses. */
export function createClient({ url, apiKey, waitWhenLimited = 0 }: ClientOptions): Client {
  const address = `${url.replace(/\/+$/, '')}/trpc`;
  const authorization = `Bearer ${apiKey}`;
  const calls: TRPCLink<AppRouter> = httpLink({
    url: address,
    headers: ({ op: { context } }) => ({
      authorization,
      ...(typeof context.idempotencyKey === 'string' ? { 'idempotency-key': context.idempotencyKey } : {}),
    }),
    fetch: async (input, init) => {
      const response = await fetchWithRetry(input, init ?? {}, waitWhenLimited);
      if (!response.ok) throw await ApiError.of(response);
      return response;
    },
  });
  const streams: TRPCLink<AppRouter> = httpSubscriptionLink({
    url: address,
    EventSource,
    eventSourceOptions: ({ op }) => ({
      fetch: async (input, { headers, ...init }) => {
        const sent = { ...init, headers: { ...headers, authorization } };
        const response = await fetchWithRetry(input, sent, waitWhenLimited);
        // An EventSource ends without a reason, and would reconnect if this threw.
        op.context.apiError = response.ok ? undefined : await ApiError.of(response.clone());
        return response;
      },
    }),
  });
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({ condition: ({ type }) => type === 'subscription', true: [streamErrors, streams], false: calls }),
    ],
  });
}

/** Replaces the error that ended a stream by the ApiError of its response. */
const streamErrors: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        error: (error) => {
          const { apiError } = op.context;
          observer.error(apiError instanceof ApiError ? apiError : ApiError.ofStream(error));
        },
        complete: () => observer.complete(),
      }),
    );
