/**
 * No extraction process can be started: an error of the worker's machine, never of a source. `timeout`: the last
 * process was not ready in time. `failing`: it exited; the message has the reason.
 */
export class ExtractionUnavailableError extends Error {
  override readonly name = 'ExtractionUnavailableError';
  readonly reason: 'timeout' | 'failing';

  constructor(reason: ExtractionUnavailableError['reason'], message: string) {
    super(`processes that read documents cannot be started: ${message}`);
    this.reason = reason;
  }
}
