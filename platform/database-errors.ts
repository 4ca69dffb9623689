/** Classification of errors of PostgreSQL. */

/**
 * PostgreSQL cannot be reached, did not respond in time, rejects the service, or fails itself: the same statement may
 * succeed later. `refused`: credentials, privileges, a missing database, or a schema that is not migrated.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly reason: 'unreachable' | 'timeout' | 'refused' | 'failing';

  constructor(reason: DatabaseUnavailableError['reason'], cause: Error) {
    super(`the database is unavailable (${reason}): ${cause.message}`, { cause });
    this.reason = reason;
  }
}

type Reason = DatabaseUnavailableError['reason'];

/** Reasons by SQLSTATE or class. All other codes are errors of a statement or its data. */
const sqlStates: [pattern: RegExp, reason: Reason][] = [
  [/^08/, 'unreachable'],
  // Canceled by statement_timeout, too long in a transaction, or too long waiting for a lock.
  [/^(57014|25P03|25P04|55P03)$/, 'timeout'],
  // 55000: the database does not accept connections now.
  [/^(28...|3D000|3F000|42501|42P01|42703|42883|55000)$/, 'refused'],
  // No resources, shutdown, recovery, a standby that is read-only, I/O errors, damaged data.
  [/^(53...|57P..|25006|58...|XX00[12])$/, 'failing'],
];

const socketErrors: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EPIPE: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timeout',
};

/** Reasons by message, for errors of `pg` and its pool that have no code. */
const messages: [pattern: RegExp, reason: Reason][] = [
  [/^(timeout expired|timeout exceeded when trying to connect|Query read timeout)/, 'timeout'],
  [/^Connection terminated due to connection timeout/, 'timeout'],
  [/^(Connection terminated|Client (was closed|has encountered a connection error))/, 'unreachable'],
  [/^(SASL:|The server does not support SSL|There was an error establishing an SSL)/, 'refused'],
];

function reasonOf(error: Error): Reason | null {
  // Thrown after an attempt for every address of a name.
  if (error instanceof AggregateError) {
    const reasons = error.errors.map((one) => (Error.isError(one) ? reasonOf(one) : null));
    return reasons.find((reason) => reason !== null) ?? null;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (socketErrors[code] !== undefined) return socketErrors[code];
  const table = code === '' ? messages : sqlStates;
  const found = table.find(([pattern]) => pattern.test(code === '' ? error.message : code))?.[1];
  if (found !== undefined) return found;
  return Error.isError(error.cause) ? reasonOf(error.cause) : null;
}

/** Converts an error of `pg` to DatabaseUnavailableError; returns any other error unchanged. */
export function databaseError(error: unknown): unknown {
  if (!Error.isError(error) || error instanceof DatabaseUnavailableError) return error;
  const reason = reasonOf(error);
  return reason === null ? error : new DatabaseUnavailableError(reason, error);
}
