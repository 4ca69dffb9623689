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

/** An error response of the service inside tRPC's error shape. */
const shapeSchema = z.object({ data: z.object({ error: bodySchema }) });

/** Seconds of a Retry-After header; the service sends no dates. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** An error response of the service. A call without a response throws a plain TRPCClientError. */
export class ApiError extends TRPCClientError<AppRouter> {
  /** The HTTP status. */
  readonly code: number;
  /** The invalid fields, by dotted path. */
  readonly details: readonly { field: string; message: string }[];
  /** Quote it when you report the error. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt, from Retry-After. */
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

  /** The error of a response with an error status. The body may come from a proxy and have any form. */
  static async of(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    const { data } = z.object({ error: shapeSchema }).safeParse(body);
    const message = `The service responded with ${response.status}.`;
    const fallback: Body = { message, code: response.status, details: [] };
    return new ApiError(data?.error.data.error ?? fallback, response.headers);
  }

  /** The error that ended a stream; an error without a response of the service is returned unchanged. */
  static ofStream(error: TRPCClientError<AppRouter>): TRPCClientError<AppRouter> {
    const { data } = shapeSchema.safeParse(error.shape);
    return data === undefined ? error : new ApiError(data.data.error);
  }
}
