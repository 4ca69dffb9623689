import { TRPCClientError } from '@trpc/client';
import { z } from 'zod';
import type { AppRouter } from '../apps/api/routers/index.ts';

const bodySchema = z.object({
  message: z.string(),
  code: z.int(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).default([]),
  requestId: z.string().optional(),
});
type Body = z.infer<typeof bodySchema>;

/** What the service says of a refused call, inside tRPC's own shape. */
const shapeSchema = z.object({ data: z.object({ error: bodySchema }) });

/** Seconds of a Retry-After header; the service sends no dates. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** A refusal or a failure that the service answered. What got no answer is a plain TRPCClientError. */
export class ApiError extends TRPCClientError<AppRouter> {
  /** The HTTP status. */
  readonly code: number;
  /** The fields that it is about, by dotted path. */
  readonly details: readonly { field: string; message: string }[];
  /** Quote it when you ask about a failure. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next try, where the service says so. */
  readonly retryAfter: number | undefined;
  /** The path of the resource that a conflict is about. */
  readonly location: string | undefined;

  constructor({ message, code, details, requestId }: Body, headers: Headers = new Headers()) {
    super(message);
    // The constructor above sets its own prototype.
    Object.setPrototypeOf(this, ApiError.prototype);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.requestId = headers.get('x-request-id') ?? requestId;
    this.retryAfter = retryAfterOf(headers);
    this.location = headers.get('location') ?? undefined;
  }

  /** Of an answer with an error status; its body is read, whatever a proxy on the way made of it. */
  static async of(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    const { data } = z.object({ error: shapeSchema }).safeParse(body);
    const otherwise: Body = { message: `The service answered ${response.status}.`, code: response.status, details: [] };
    return new ApiError(data?.error.data.error ?? otherwise, response.headers);
  }

  /** Of what a stream ended with; anything else is returned as it is. */
  static ofStream(error: TRPCClientError<AppRouter>): TRPCClientError<AppRouter> {
    const { data } = shapeSchema.safeParse(error.shape);
    return data === undefined ? error : new ApiError(data.data.error);
  }
}
