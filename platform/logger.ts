/** Log lines are events with ids: `log.info({event: 'run.finished', sourceId, generation, status})`. */
import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** A logger that writes JSON lines to standard output. `process` names the part of the service. */
export function createLogger(process: string, level: string): Logger {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: ['authorization', 'key', 'secret', 'headers.authorization'],
  });
}
