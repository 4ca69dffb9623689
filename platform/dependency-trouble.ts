/**
 * Trouble of the parts that the service runs on: PostgreSQL, Temporal or the storage is away, silent, or refuses its
 * credentials, or a worker cannot start the processes
 * that read documents. It is never a failure of a source: work waits for the part, and operators see which one it is.
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
 * `unreachable`: no connection, or it broke. `timeout`: no answer in time. `refused`: wrong credentials or rights, or
 * the database, schema, namespace, search attribute or bucket is missing. `failing`: it answers with trouble of its own,
 * such as an overload, a full disk, a shutdown or a standby that is read-only.
 */
export interface DependencyTrouble {
  dependency: 'database' | 'temporal' | 'storage' | 'extraction';
  reason: 'unreachable' | 'timeout' | 'refused' | 'failing';
}

/** Which part of ours an error comes from, and why; null for any other error. */
export function dependencyTrouble(error: unknown): DependencyTrouble | null {
  if (error instanceof DatabaseUnavailableError) return { dependency: 'database', reason: error.reason };
  if (error instanceof StorageUnavailableError) return { dependency: 'storage', reason: error.reason };
  if (error instanceof ExtractionUnavailableError) return { dependency: 'extraction', reason: error.reason };
  const reason = temporalReason(error);
  return reason === null ? null : { dependency: 'temporal', reason };
}

/** Logs and counts the trouble of a part, under the same names everywhere. */
export function reportTrouble(
  { logger, metrics }: { logger: Logger; metrics: Metrics },
  trouble: DependencyTrouble,
  error: unknown,
): void {
  metrics.dependencyTrouble.inc({ ...trouble });
  logger.warn({ event: 'dependency.trouble', ...trouble, message: messageOf(error) });
}

/** What an error says, for logs and operators. The client's own message only names the call, the cause says why. */
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
  // Of a namespace: a missing run has an error of its own.
  [status.NOT_FOUND]: 'refused',
  [status.FAILED_PRECONDITION]: 'refused',
  // A search attribute that the namespace lacks.
  [status.INVALID_ARGUMENT]: 'refused',
};

/** Null also for a call that Temporal refuses for what it is, such as a payload that is too large. */
function temporalReason(error: unknown): DependencyTrouble['reason'] | null {
  if (error instanceof NamespaceNotFoundError || error instanceof SearchAttributesMissingError) return 'refused';
  const answer = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(answer)) return isRefusedCall(answer) ? null : (temporalReasons[answer.code] ?? 'failing');
  return error instanceof ServiceError ? 'unreachable' : null;
}

function isRefusedCall({ code, details }: { code: status; details: string }): boolean {
  if (code === status.OUT_OF_RANGE || code === status.ALREADY_EXISTS) return true;
  return code === status.INVALID_ARGUMENT && !/search attribute/i.test(details);
}
