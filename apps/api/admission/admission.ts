/** Admission of a request: its key, and the rate limit of the key's owner. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Plan } from '../../../contract/statuses.ts';
import type { Config } from '../../../platform/config.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { AppError } from '../errors.ts';
import type { Authenticator } from './authenticate.ts';
import type { Caller } from './caller.ts';
import type { RateLimits } from './rate-limit.ts';

/**
 * The caller, or null without a valid key. Sets the RateLimit-* headers of the reply.
 * @throws AppError 429 beyond the owner's budget, or beyond RATE_LIMIT_WRONG_KEYS wrong keys a minute from an address
 */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;

interface AdmissionDependencies {
  config: Config;
  metrics: Metrics;
  authenticator: Authenticator;
  limits: RateLimits;
}

/** Whether a request is one of the API, and so counts towards the rate limit. */
export function isCounted({ routeOptions, url }: FastifyRequest): boolean {
  return /^\/(v1|api\/v1|trpc)(\/|\?|$)/.test(routeOptions.url ?? url);
}

const paramsSchema = z.object({ path: z.string() });

/** Number of calls in a tRPC batch; 1 for any other request. */
function callsOf({ routeOptions, params, url }: FastifyRequest): number {
  if (routeOptions.url !== '/trpc/:path') return 1;
  const batch = new URL(url, 'http://localhost').searchParams.get('batch') === '1';
  return batch ? paramsSchema.parse(params).path.split(',').length : 1;
}

export function createAdmission({ config, metrics, authenticator, limits }: AdmissionDependencies): Admit {
  const budgets: Record<Plan, number> = { free: config.RATE_LIMIT_FREE, pro: config.RATE_LIMIT_PRO };

  function tooManyRequests(kind: 'budget' | 'wrong_keys', message: string, seconds: number): AppError {
    metrics.requestsRefused.inc({ kind });
    return new AppError('TOO_MANY_REQUESTS', message, { headers: { 'retry-after': String(seconds) } });
  }

  return async (request, reply) => {
    const { authorization } = request.headers;
    const caller = await authenticator.authenticate(authorization);
    if (caller === null) {
      if (authorization === undefined) return null;
      const { requests, remainingMs } = await limits.countWrongKey(request.ip);
      if (requests <= config.RATE_LIMIT_WRONG_KEYS) return null;
      const seconds = secondsOf(remainingMs);
      const message = `Too many requests with an invalid API key from your address. Try again in ${seconds} s.`;
      throw tooManyRequests('wrong_keys', message, seconds);
    }
    const budget = budgets[caller.plan];
    const { requests, remainingMs } = await limits.countRequests(caller.userId, callsOf(request));
    const seconds = secondsOf(remainingMs);
    reply.headers({
      'ratelimit-limit': budget,
      'ratelimit-remaining': Math.max(budget - requests, 0),
      'ratelimit-reset': seconds,
    });
    if (requests <= budget) {
      authenticator.noteUse(caller);
      return caller;
    }
    const message = `The plan ${caller.plan} allows ${budget} requests a minute. Try again in ${seconds} s.`;
    throw tooManyRequests('budget', message, seconds);
  };
}

/** Whole seconds, rounded up and at least 1, so that the window has ended after this wait. */
function secondsOf(milliseconds: number): number {
  return Math.max(Math.ceil(milliseconds / 1_000), 1);
}
