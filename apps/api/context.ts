import type { FastifyRequest } from 'fastify';
import type { Database } from '../../db/orm.ts';
import type { Config } from '../../platform/config.ts';
import type { Egress } from '../../platform/egress.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Storage } from '../../platform/storage.ts';
import type { Caller } from './caller.ts';
import type { Watches } from './watches.ts';

/** What procedures work with, made once by the process. */
export interface ApiDependencies {
  config: Config;
  database: Database;
  storage: Storage;
  egress: Egress;
  logger: Logger;
}

/** One request, the same for REST and tRPC. */
export interface RequestContext extends ApiDependencies {
  watches: Watches;
  requestId: string;
  /** Null without a usable key; procedures then answer 401. */
  caller: Caller | null;
  /** What the request's header Idempotency-Key says; see idempotency.ts. */
  idempotencyKey: string | null;
  /** What a procedure says beside its result: another status than its usual one, and headers. */
  reply: { status?: number; headers: Record<string, string> };
}

/** The context of a request: made when it is first asked for, the same afterwards. */
export type ContextOfRequest = (request: FastifyRequest) => Promise<RequestContext>;
