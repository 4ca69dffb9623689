/**
 * No process that reads documents can be started: trouble of the worker's machine and never a failure of a source. `timeout`:
 * the last one was not ready in time. `failing`: it ended; the message says how.
 */
export class ExtractionUnavailableError extends Error {
  override readonly name = 'ExtractionUnavailableError';
  readonly reason: 'timeout' | 'failing';

  constructor(reason: ExtractionUnavailableError['reason'], message: string) {
    super(`processes that read documents cannot be started: ${message}`);
    this.reason = reason;
  }
}
