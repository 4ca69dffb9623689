import { status } from '@grpc/grpc-js';
import { Client, Connection, isGrpcServiceError, ServiceError } from '@temporalio/client';
import type { Config } from './config.ts';

/** Longest time that a call to Temporal may take; less than the lease of a command. */
const CALL_TIMEOUT_MS = 5_000;
/** Without it gRPC waits up to two minutes before it looks whether a server is back. */
const MOST_RECONNECT_BACKOFF_MS = 1_000;

/** A client that connects when it is first needed, so that a process starts while Temporal is away. */
export function createTemporalClient(config: Pick<Config, 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE'>): Client {
  const connection = Connection.lazy({
    address: config.TEMPORAL_ADDRESS,
    connectTimeout: CALL_TIMEOUT_MS,
    channelArgs: { 'grpc.max_reconnect_backoff_ms': MOST_RECONNECT_BACKOFF_MS },
  });
  return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
}

/** Runs a call to Temporal with a time limit. */
export function withDeadline<T>(client: Client, call: () => Promise<T>, ms = CALL_TIMEOUT_MS): Promise<T> {
  return client.withDeadline(Date.now() + ms, call);
}

/** The answers by which Temporal says no; everything else means that it could not be asked. */
const refusals = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.ALREADY_EXISTS,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
]);

/** True for an error that Temporal answered with, rather than being out of reach, overloaded or late. */
export function isRefusal(error: unknown): boolean {
  if (isGrpcServiceError(error)) return refusals.has(error.code);
  if (error instanceof ServiceError && isGrpcServiceError(error.cause)) return refusals.has(error.cause.code);
  // Errors of the client itself (a payload that cannot be converted, say) will not pass by waiting.
  return !(error instanceof ServiceError);
}
