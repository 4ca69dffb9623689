/** Who may make a request at all: whose key it carries, and whether that owner's budget has room for it. */
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
 * The caller, null without a usable key. Says in the reply's headers what is left of the budget.
 * @throws AppError 429 when nothing is left, or for an address that sent too many wrong keys and sends another.
 */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;

interface AdmissionDependencies {
  config: Config;
  metrics: Metrics;
  authenticator: Authenticator;
  limits: RateLimits;
}

/** Whether a path belongs to the API, where requests of owners are counted. */
export function isCounted({ routeOptions, url }: FastifyRequest): boolean {
  return /^\/(v1|api\/v1|trpc)(\/|\?|$)/.test(routeOptions.url ?? url);
}

const paramsSchema = z.object({ path: z.string() });

/** Calls of a tRPC batch; anything else is one. */
function callsOf({ routeOptions, params, url }: FastifyRequest): number {
  if (routeOptions.url !== '/trpc/:path') return 1;
  const batch = new URL(url, 'http://localhost').searchParams.get('batch') === '1';
  return batch ? paramsSchema.parse(params).path.split(',').length : 1;
}

export function createAdmission({ config, metrics, authenticator, limits }: AdmissionDependencies): Admit {
  const budgets: Record<Plan, number> = { free: config.RATE_LIMIT_FREE, pro: config.RATE_LIMIT_PRO };

  function refuse(kind: 'budget' | 'wrong_keys', message: string, seconds: number): AppError {
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
      throw refuse('wrong_keys', `Too many wrong keys from your address. Try again in ${seconds} s.`, seconds);
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
    throw refuse(
      'budget',
      `The plan ${caller.plan} allows ${budget} requests a minute. Try again in ${seconds} s.`,
      seconds,
    );
  };
}

/** Whole seconds, so that whoever waits that long finds the window over. */
function secondsOf(milliseconds: number): number {
  return Math.max(Math.ceil(milliseconds / 1_000), 1);
}
