/** What the storage's failures mean to callers. */
import { S3ServiceException } from '@aws-sdk/client-s3';

/** There is no object of that name. */
export class ObjectMissingError extends Error {
  override readonly name = 'ObjectMissingError';
}

/** The object is larger than the caller would read. */
export class ObjectTooLargeError extends Error {
  override readonly name = 'ObjectTooLargeError';
  readonly maxBytes: number;

  constructor(key: string, maxBytes: number) {
    super(`object ${key} is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/**
 * The storage did not answer, answered too late or with 5xx, or refuses the service (credentials, rights, the clock, a
 * missing bucket): the same call may succeed later, and no content must be given up for it.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
  readonly reason: 'unreachable' | 'timeout' | 'refused' | 'failing';

  constructor(reason: StorageUnavailableError['reason'], message: string, options: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Answers about the service's own credentials, clock and bucket, whatever their status. */
const refusals: ReadonlySet<string> = new Set([
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
 * The error to throw for what the SDK threw. Other refusals (400, 412) come back unchanged, with the S3 error code as
 * their name.
 * @param timedOut whether our own time limit ended the call.
 */
export function storageError(error: unknown, timedOut: boolean): unknown {
  if (error instanceof ObjectMissingError || error instanceof ObjectTooLargeError) return error;
  if (timedOut) return new StorageUnavailableError('timeout', 'the storage did not answer in time', { cause: error });
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode;
    if (status === 401 || status === 403 || refusals.has(error.name)) {
      return new StorageUnavailableError('refused', `the storage refused: ${error.name}`, { cause: error });
    }
    if (status === 404) return new ObjectMissingError(`not in the storage: ${error.name}`, { cause: error });
    if (status !== undefined && (status >= 500 || status === 429) && error.name !== 'NotImplemented') {
      return new StorageUnavailableError('failing', `the storage answered ${status} ${error.name}`, { cause: error });
    }
    return error;
  }
  if (typeof error !== 'object' || error === null) return error;
  // The SDK marks with $metadata what came to nothing on the way; an object's body breaks off with a code of Node's.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined && !('$metadata' in error)) return error;
  return new StorageUnavailableError('unreachable', `the storage cannot be reached: ${code ?? 'no answer'}`, {
    cause: error,
  });
}
