/** Classification of errors of the storage. */
import { S3ServiceException } from '@aws-sdk/client-s3';

/** The object does not exist. */
export class ObjectMissingError extends Error {
  override readonly name = 'ObjectMissingError';
}

/** The object is larger than the caller's limit. */
export class ObjectTooLargeError extends Error {
  override readonly name = 'ObjectTooLargeError';
  readonly maxBytes: number;

  constructor(key: string, maxBytes: number) {
    super(`object ${key} is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/**
 * The storage did not respond in time, returned 5xx, or rejects the service (credentials, rights, clock, missing
 * bucket). The same call may succeed later, so no content may be given up because of it.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
  readonly reason: 'unreachable' | 'timeout' | 'refused' | 'failing';

  constructor(reason: StorageUnavailableError['reason'], message: string, options: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** S3 error codes about the service's own credentials, clock and bucket, whatever their status. */
const refusedCodes: ReadonlySet<string> = new Set([
  'NoSuchBucket',
  'InvalidAccessKeyId',
  // Versitygw, with status 404.
  'XAdminUserNotFound',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'ExpiredToken',
  'InvalidToken',
  'RequestTimeTooSkewed',
]);

/**
 * Converts an error of the SDK to one of the classes above. Other errors (400, 412) are returned unchanged, with the S3
 * error code as their name.
 * @param timedOut whether our own timeout ended the call.
 */
export function storageError(error: unknown, timedOut: boolean): unknown {
  if (error instanceof ObjectMissingError || error instanceof ObjectTooLargeError) return error;
  if (timedOut) return new StorageUnavailableError('timeout', 'the storage did not respond in time', { cause: error });
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode;
    if (status === 401 || status === 403 || refusedCodes.has(error.name)) {
      return new StorageUnavailableError('refused', `the storage rejects the service: ${error.name}`, { cause: error });
    }
    if (status === 404) return new ObjectMissingError(`not in the storage: ${error.name}`, { cause: error });
    if (status !== undefined && (status >= 500 || status === 429) && error.name !== 'NotImplemented') {
      return new StorageUnavailableError('failing', `the storage returned ${status} ${error.name}`, { cause: error });
    }
    return error;
  }
  if (typeof error !== 'object' || error === null) return error;
  // Connection errors have $metadata of the SDK, or, while a body is read, a code of Node.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined && !('$metadata' in error)) return error;
  return new StorageUnavailableError('unreachable', `the storage cannot be reached: ${code ?? 'no response'}`, {
    cause: error,
  });
}
