/** Mails and logs of a chaos run. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';

export interface Mail {
  messageId: string;
  /** Subject and text. */
  text: string;
}

export async function readMails(folder: string): Promise<Mail[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  return Promise.all(
    names.map(async (name) => {
      const { messageId = '', subject = '', text = '' } = await PostalMime.parse(await readFile(join(folder, name)));
      return { messageId, text: `${subject}\n${text}` };
    }),
  );
}

export interface LogLine {
  /** Name of the process with the number of its start: `worker-1.3`. */
  process: string;
  line: string;
}

/** The log events that invariants check. */
const CHECKED_EVENTS = ['request.failed', 'collector.stopped'];

/** Reads the log lines with a checked event, from all processes. */
export async function readLogs(folder: string): Promise<LogLine[]> {
  const logs = join(folder, 'logs');
  const lines: LogLine[] = [];
  for (const name of await readdir(logs)) {
    const text = await readFile(join(logs, name), 'utf8');
    for (const line of text.split('\n')) {
      if (CHECKED_EVENTS.some((event) => line.includes(`"event":"${event}"`)))
        lines.push({ process: name.slice(0, -4), line });
    }
  }
  return lines;
}
