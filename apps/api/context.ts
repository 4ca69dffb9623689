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

/** Dependencies of procedures, created once per process. */
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
  /** Limits concurrent write transactions; see write.ts. */
  writes: FairShare;
  requestId: string;
  /** Null without a valid key; procedures then respond 401. */
  caller: Caller | null;
  /** Whether a long poll may wait; false for HEAD. */
  mayWait: boolean;
  /** REST: fields in the wrong place (path, query, body), reported together with the other problems of the input. */
  misplaced: ErrorDetail[];
  /** Input schemas by procedure name. */
  inputs: ReadonlyMap<string, z.ZodObject>;
  /** The Idempotency-Key header, or null; see idempotency.ts. */
  idempotencyKey: string | null;
  /** Set by a procedure beside its result: a status other than the default, headers, and a text to stream. */
  reply: { status?: number; headers: Record<string, string>; text?: StreamedText };
  /** Whether a long text is streamed as `reply.text`; its field of the result is then empty. */
  streams: boolean;
  /** Aborted once the response is sent or the client has disconnected. */
  closed: AbortSignal;
}

/** Returns the context of a request, which is created on first use. */
export type ContextOfRequest = (request: FastifyRequest) => Promise<RequestContext>;
