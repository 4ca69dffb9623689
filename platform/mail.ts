/** The outgoing mail server. */
import { createTransport } from 'nodemailer';
import { z } from 'zod';

const CONNECT_TIMEOUT_MS = 10_000;
/** Without any sign of the server. */
const SILENCE_TIMEOUT_MS = 30_000;

export interface Mail {
  to: string;
  /** One address. */
  replyTo: string;
  subject: string;
  text: string;
  /** Unique for what is said: `<id@host>`, the same each time it is sent. */
  messageId: string;
}

/** The server did not take a mail. What it answered may quote the mail, so the message holds its codes alone. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** RFC 3463: `5.7.1`. */
const enhancedStatus = /\b[245]\.\d{1,3}\.\d{1,3}\b/;
/** Of the operating system or of TLS: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
const systemCode = /\b(?:E[A-Z]{3,}|[A-Z]+(?:_[A-Z]+)+)\b/;

/** As nodemailer throws it; without `responseCode` the server did not answer. */
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
  return new MailError(`The mail server answered ${status} to ${command}.`);
}

export interface Mailer {
  /** Resolves once the server has taken the mail. @throws MailError when it is away or refuses it, or no server is set. */
  send(mail: Mail): Promise<void>;
}

/** A mailer that sends in the name of `from` over the server at `url` (SMTP_URL); without one, sending fails. */
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
    // A password never goes over a connection that is not encrypted. With smtps it is from the start.
    requireTLS: protocol === 'smtp:' && password !== '',
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Mails are made of text alone, whatever that text says.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, replyTo, subject, text, messageId }) {
      for (const [name, value] of Object.entries({ to, replyTo, subject, messageId })) {
        // nodemailer folds them away; that one would have come this far is a mistake to hear of.
        if (/[\r\n]/.test(value)) throw new TypeError(`A line break in ${name} of a mail.`);
      }
      await transport.sendMail({ from, to, replyTo, subject, text, messageId }).catch((error: unknown) => {
        throw mailError(error);
      });
    },
  };
}
