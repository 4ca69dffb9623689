/**
 * The catalogue of errors with which a source ends FAILED. Clients branch on `code`. `remedy` is the advice to the
 * user, appended to the message of each failure. `retryable`: whether the same request may succeed later without a
 * change by the user.
 */
export const sourceErrors = {
  fetch_blocked_address: { retryable: false, remedy: 'Use an address that is reachable from the public internet.' },
  fetch_dns: { retryable: true, remedy: 'Check the host name of the URL.' },
  fetch_connection: { retryable: true, remedy: 'Check that the server is up and refresh the source.' },
  fetch_tls: { retryable: false, remedy: 'The certificate of the server must be valid.' },
  fetch_timeout: { retryable: true, remedy: 'Check that the server responds and refresh the source.' },
  fetch_http_status: { retryable: false, remedy: 'Check that the URL opens without signing in.' },
  fetch_too_large: { retryable: false, remedy: 'Use a smaller document, or ask the operator for a higher limit.' },
  fetch_too_many_redirects: { retryable: false, remedy: 'Use the address at the end of the redirects.' },
  content_empty: { retryable: false, remedy: 'Send content that contains text.' },
  content_lost: { retryable: false, remedy: 'Refresh the source or send its content again.' },
  unsupported_format: {
    retryable: false,
    remedy: 'Send a document, page, spreadsheet, presentation, mail, book, image or text, not an archive.',
  },
  file_encrypted: { retryable: false, remedy: 'Remove the password and upload the file again.' },
  file_damaged: { retryable: false, remedy: 'Check that the file opens and upload it again.' },
  file_too_large: { retryable: false, remedy: 'Split the document and send its parts.' },
  extraction_timeout: { retryable: false, remedy: 'Split the document and send its parts.' },
  extraction_memory: { retryable: false, remedy: 'Split the document and send its parts.' },
  extraction_limit: { retryable: false, remedy: 'Split the document and send its parts.' },
  upload_missing: { retryable: false, remedy: 'Upload the file again and create a new source from it.' },
  upload_changed: { retryable: false, remedy: 'Refresh the source to use the file as it is now.' },
  member_failed: {
    retryable: false,
    remedy: 'Reprocess the member, then the composition, or set on_member_failure to "skip".',
  },
  member_canceled: {
    retryable: false,
    remedy: 'Reprocess the member, then the composition, or set on_member_failure to "skip".',
  },
  member_deleted: { retryable: false, remedy: 'Remove the member from the composition, or restore it.' },
  member_timeout: { retryable: true, remedy: 'Reprocess the composition once its members have ended.' },
  run_lost: { retryable: true, remedy: 'Reprocess the source; if that fails again, contact the operator.' },
  run_refused: { retryable: true, remedy: 'Reprocess the source; if that fails again, contact the operator.' },
  internal: { retryable: true, remedy: 'Reprocess the source; if that fails again, contact the operator.' },
} as const satisfies Record<string, { retryable: boolean; remedy: string }>;

export type SourceErrorCode = keyof typeof sourceErrors;

/** Whether a value is a code of the catalogue. */
export function isSourceErrorCode(code: unknown): code is SourceErrorCode {
  return typeof code === 'string' && Object.hasOwn(sourceErrors, code);
}

/**
 * An error of a source's content or of its server, thrown where the rule is and mapped once to a workflow failure.
 * `message` is shown to users: it has no stack and no internal names. `remedy` overrides the catalogue's.
 */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** The catalogue's `retryable`, or its override (HTTP 503 can be retried, HTTP 404 cannot). */
  readonly retryable: boolean;
  /** Retry-After of the server's response in milliseconds, if it had one. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: SourceErrorCode,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number; remedy?: string; cause?: unknown } = {},
  ) {
    super(`${message} ${options.remedy ?? sourceErrors[code].remedy}`, { cause: options.cause });
    this.name = 'SourceError';
    this.code = code;
    this.retryable = options.retryable ?? sourceErrors[code].retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
