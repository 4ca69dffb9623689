/** Log lines are events with ids: `log.info({event: 'run.finished', sourceId, generation, status})`. */
import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** SQLSTATE class 22, data exceptions: their messages quote values. */
const quotingSqlState = /^22/;

/** Returns an error's name and code, the only parts that never quote user content. */
export function kindOfError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return error === undefined ? undefined : typeof error;
  return 'code' in error && typeof error.code === 'string' ? `${error.name} ${error.code}` : error.name;
}

/** Whether the message may quote user content: those of JSON.parse and of some statements do. */
function mayQuote(error: Error): boolean {
  if (error instanceof SyntaxError || error.name === 'SyntaxError') return true;
  return 'code' in error && typeof error.code === 'string' && quotingSqlState.test(error.code);
}

/**
 * Returns kind, message and stack of an error for the log, without values that drivers add to it (the row that violates
 * a constraint, the text that is no URL).
 */
function logged(error: unknown): unknown {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { message, stack = '', cause } = error;
  const start = stack.indexOf(message) + message.length;
  const frames = stack
    .slice(start)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  return {
    kind: kindOfError(error),
    ...(mayQuote(error) ? {} : { message }),
    ...('constraint' in error ? { constraint: error.constraint } : {}),
    stack: frames.map((line) => line.trim()).join('\n'),
    ...(cause === undefined ? {} : { cause: logged(cause) }),
  };
}

/** Creates a logger that writes JSON lines to standard output. `process` is the name of the process. */
export function createLogger(process: string, level: string): Logger {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    // In Temporal's log lines `error` is an Error, in ours a code.
    serializers: { err: logged, error: (error: unknown) => (error instanceof Error ? logged(error) : error) },
    // A field that is never used: otherwise pino copies the message of an error to the line.
    errorKey: 'no field is taken for the message',
    formatters: { level: (label) => ({ level: label }) },
    redact: ['authorization', 'key', 'secret', 'headers.authorization'],
  });
}
