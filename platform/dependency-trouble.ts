/**
 * Dependency trouble: PostgreSQL, Temporal or storage is away, times out or rejects the service, or a worker cannot
 * start extraction processes. A source never fails because of it: work waits, and operators see the dependency.
 */
import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { ExtractionUnavailableError } from '../contract/extraction-unavailable.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { StorageUnavailableError } from './storage-errors.ts';
import { SearchAttributesMissingError } from './temporal.ts';

/**
 * `unreachable`: no connection, or it broke. `timeout`: no response in time. `refused`: wrong credentials or rights, or
 * the database, schema, namespace, search attribute or bucket is missing. `failing`: the dependency reports an error of
 * its own, such as an overload, a full disk, a shutdown or a read-only standby.
 */
export interface DependencyTrouble {
  dependency: 'database' | 'temporal' | 'storage' | 'extraction';
  reason: 'unreachable' | 'timeout' | 'refused' | 'failing';
}

/** Returns dependency and reason of an error; null for an error that is not dependency trouble. */
export function dependencyTrouble(error: unknown): DependencyTrouble | null {
  if (error instanceof DatabaseUnavailableError) return { dependency: 'database', reason: error.reason };
  if (error instanceof StorageUnavailableError) return { dependency: 'storage', reason: error.reason };
  if (error instanceof ExtractionUnavailableError) return { dependency: 'extraction', reason: error.reason };
  const reason = temporalReason(error);
  return reason === null ? null : { dependency: 'temporal', reason };
}

/** Logs and counts dependency trouble. */
export function reportTrouble(
  { logger, metrics }: { logger: Logger; metrics: Metrics },
  trouble: DependencyTrouble,
  error: unknown,
): void {
  metrics.dependencyTrouble.inc({ ...trouble });
  logger.warn({ event: 'dependency.trouble', ...trouble, message: messageOf(error) });
}

/** Returns the message of an error. A ServiceError names only the call, so the message of its cause is added. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return error instanceof ServiceError && cause instanceof Error ? `${message}: ${cause.message}` : message;
}

const temporalReasons: Partial<Record<status, DependencyTrouble['reason']>> = {
  [status.UNAVAILABLE]: 'unreachable',
  [status.CANCELLED]: 'unreachable',
  [status.DEADLINE_EXCEEDED]: 'timeout',
  [status.UNAUTHENTICATED]: 'refused',
  [status.PERMISSION_DENIED]: 'refused',
  [status.UNIMPLEMENTED]: 'refused',
  // Of a namespace: a missing run is a WorkflowNotFoundError.
  [status.NOT_FOUND]: 'refused',
  [status.FAILED_PRECONDITION]: 'refused',
  // A search attribute that the namespace lacks.
  [status.INVALID_ARGUMENT]: 'refused',
};

/** Null also for a call that Temporal rejects because of its arguments, such as a payload that is too large. */
function temporalReason(error: unknown): DependencyTrouble['reason'] | null {
  if (error instanceof NamespaceNotFoundError || error instanceof SearchAttributesMissingError) return 'refused';
  const grpcError = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(grpcError)) {
    return isRejectedCall(grpcError) ? null : (temporalReasons[grpcError.code] ?? 'failing');
  }
  return error instanceof ServiceError ? 'unreachable' : null;
}

function isRejectedCall({ code, details }: { code: status; details: string }): boolean {
  if (code === status.OUT_OF_RANGE || code === status.ALREADY_EXISTS) return true;
  return code === status.INVALID_ARGUMENT && !/search attribute/i.test(details);
}
