/** Log lines are events with ids: `log.info({event: 'run.finished', sourceId, generation, status})`. */
import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** Classes of PostgreSQL whose messages quote values: data exceptions. */
const quotingSqlState = /^22/;

/** The name of an error's class, with its code where it has one: all of it that never quotes what users wrote. */
export function kindOfError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return error === undefined ? undefined : typeof error;
  return 'code' in error && typeof error.code === 'string' ? `${error.name} ${error.code}` : error.name;
}

/** Messages of JSON.parse quote what was parsed, and those of some statements a value. */
function quotes(error: Error): boolean {
  if (error instanceof SyntaxError || error.name === 'SyntaxError') return true;
  return 'code' in error && typeof error.code === 'string' && quotingSqlState.test(error.code);
}

/**
 * What a log line holds of an error: its kind, message and stack, and none of the values that drivers add to it (the
 * row that a constraint refused, the text that is no URL).
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
    ...(quotes(error) ? {} : { message }),
    ...('constraint' in error ? { constraint: error.constraint } : {}),
    stack: frames.map((line) => line.trim()).join('\n'),
    ...(cause === undefined ? {} : { cause: logged(cause) }),
  };
}

/** A logger that writes JSON lines to standard output. `process` names the part of the service. */
export function createLogger(process: string, level: string): Logger {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Temporal's own lines have an error as `error`, ours a code.
    serializers: { err: logged, error: (error: unknown) => (error instanceof Error ? logged(error) : error) },
    // Else the message of an error would be the line's own.
    errorKey: 'no field is taken for the message',
    formatters: { level: (label) => ({ level: label }) },
    redact: ['authorization', 'key', 'secret', 'headers.authorization'],
  });
}
