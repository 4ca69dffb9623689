/** Sends mails over SMTP. */
import { createTransport } from 'nodemailer';
import { z } from 'zod';

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest time without data from the server. */
const SILENCE_TIMEOUT_MS = 30_000;

export interface Mail {
  to: string;
  /** One address. */
  replyTo: string;
  subject: string;
  text: string;
  /** Unique for the mail, `<id@host>`: the same each time it is sent. */
  messageId: string;
}

/** The server did not accept a mail. Its response may quote the mail, so the message contains only its codes. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** RFC 3463: `5.7.1`. */
const enhancedStatus = /\b[245]\.\d{1,3}\.\d{1,3}\b/;
/** Code of the operating system or of TLS: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
const systemCode = /\b(?:E[A-Z]{3,}|[A-Z]+(?:_[A-Z]+)+)\b/;

/** Error of nodemailer; without `responseCode` the server did not respond. */
const sendError = z.object({
  message: z.string().optional(),
  code: z.string().optional(),
  command: z.string().optional(),
  response: z.string().optional(),
  responseCode: z.number().optional(),
});

function mailError(error: unknown): MailError {
  const { code, command = 'the mail', message, response = '', responseCode } = sendError.catch({}).parse(error);
  if (responseCode === undefined) {
    const reasons = new Set([code, systemCode.exec(message ?? '')?.[0]].filter((reason) => reason !== undefined));
    return new MailError(`The mail server cannot be reached (${[...reasons].join(', ')}).`);
  }
  const status = [responseCode, ...(enhancedStatus.exec(response) ?? [])].join(' ');
  return new MailError(`The mail server responded ${status} to ${command}.`);
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws MailError if it rejects it, is away, or is not set. */
  send(mail: Mail): Promise<void>;
}

/** Creates a mailer that sends from `from` over the server at `url` (SMTP_URL); without `url`, sending fails. */
export function createMailer({ url, from }: { url: string | undefined; from: string }): Mailer {
  if (url === undefined) {
    return {
      async send() {
        throw new MailError('No mail can be sent: set SMTP_URL to smtp://[user:password@]host:port.');
      },
    };
  }
  const { protocol, password } = new URL(url);
  const transport = createTransport({
    url,
    // A password is never sent unencrypted; smtps is encrypted from the start.
    requireTLS: protocol === 'smtp:' && password !== '',
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Mails contain only the given text, never files or URLs that it names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, replyTo, subject, text, messageId }) {
      for (const [name, value] of Object.entries({ to, replyTo, subject, messageId })) {
        // nodemailer would remove line breaks silently; here they indicate a bug.
        if (/[\r\n]/.test(value)) throw new TypeError(`A line break in ${name} of a mail.`);
      }
      await transport.sendMail({ from, to, replyTo, subject, text, messageId }).catch((error: unknown) => {
        throw mailError(error);
      });
    },
  };
}
