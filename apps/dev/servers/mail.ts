/** An SMTP server that delivers nothing: it stores each mail as a file. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

const UNFINISHED = '.unfinished';

export interface MailOptions {
  dataFolder: string;
  port: number;
  /** Larger mails are rejected with 552. Default 10 MiB. */
  maxBytes?: number;
}

export interface RunningMail {
  /** `smtp://127.0.0.1:port`, without authentication and TLS. */
  url: string;
  /** Contains each mail as `<time>-<id>.eml`, so that names sort by time of arrival. */
  folder: string;
  stop(): Promise<void>;
}

class MailTooLargeError extends Error {
  /** RFC 5321: requested mail action aborted, exceeded storage allocation. smtp-server sends it. */
  readonly responseCode = 552;
}

/** Starts the server on 127.0.0.1 and returns when it listens. Mails of earlier starts stay. */
export async function startMail(options: MailOptions): Promise<RunningMail> {
  const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
  const folder = join(options.dataFolder, 'mail');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (name.endsWith(UNFINISHED)) await rm(join(folder, name));
  }

  /** Stores a mail atomically and returns its file name. */
  async function storeMail(stream: SMTPServerDataStream): Promise<string> {
    const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
    const name = `${time}-${randomBytes(6).toString('hex')}.eml`;
    const unfinished = join(folder, `${name}${UNFINISHED}`);
    try {
      await pipeline(stream, createWriteStream(unfinished, { mode: 0o600 }));
      if (stream.sizeExceeded) throw new MailTooLargeError(`A mail may have at most ${maxBytes} bytes.`);
      await rename(unfinished, join(folder, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    return name;
  }

  const server = new SMTPServer({
    name: 'context-workspace',
    banner: 'mails are stored as files',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: maxBytes,
    // How long stop() waits for open connections before it closes them.
    closeTimeout: 1000,
    onData(stream, _session, callback) {
      storeMail(stream).then(
        (name) => callback(null, `stored as ${name}`),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Errors of client connections are ignored; without a listener they would end the process.
  server.on('error', () => undefined);

  let stopping: Promise<void> | undefined;
  return {
    url: `smtp://127.0.0.1:${options.port}`,
    folder,
    stop() {
      stopping ??= new Promise((resolve) => {
        server.close(() => resolve());
      });
      return stopping;
    },
  };
}
