import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Database } from '../../db/orm.ts';
import type { Config } from '../../platform/config.ts';
import type { Egress } from '../../platform/egress.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Storage } from '../../platform/storage.ts';
import type { Caller } from './admission/caller.ts';
import type { FairShare } from './admission/fair-share.ts';
import type { ErrorDetail } from './errors.ts';
import type { StreamedText } from './http/streamed-text.ts';
import type { Watches } from './live/watches.ts';

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
  readMemory: FairShare;
  /** Transactions that write; see write.ts. */
  writes: FairShare;
  requestId: string;
  /** Null without a usable key; procedures then answer 401. */
  caller: Caller | null;
  /** Whether the answer may wait for something to change: nobody waits for that of HEAD. */
  mayWait: boolean;
  /** REST: fields that stand where they do not belong; refused together with all that is wrong with the input. */
  misplaced: ErrorDetail[];
  /** The schema of each procedure's input, by the procedure's name. */
  inputs: ReadonlyMap<string, z.ZodObject>;
  /** What the request's header Idempotency-Key says; see idempotency.ts. */
  idempotencyKey: string | null;
  /** What a procedure says beside its result: another status than its usual one, headers, and a text to be streamed. */
  reply: { status?: number; headers: Record<string, string>; text?: StreamedText };
  /** Whether `reply.text` is sent in the place of a result's field, which then is empty; else the field holds it. */
  streams: boolean;
  /** Aborted once the answer was sent, or the client is gone. */
  closed: AbortSignal;
}

/** The context of a request: made when it is first asked for, the same afterwards. */
export type ContextOfRequest = (request: FastifyRequest) => Promise<RequestContext>;
