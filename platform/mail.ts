/** The outgoing mail server. */
import { createTransport } from 'nodemailer';

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

export interface Mailer {
  /** Resolves once the server has taken the mail. @throws when it is away or refuses it, or no server is set. */
  send(mail: Mail): Promise<void>;
}

/** A mailer that sends in the name of `from` over the server at `url` (SMTP_URL); without one, sending fails. */
export function createMailer({ url, from }: { url: string | undefined; from: string }): Mailer {
  if (url === undefined) {
    return {
      async send() {
        throw new Error('No mail can be sent: set SMTP_URL to smtp://[user:password@]host:port.');
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
      await transport.sendMail({ from, to, replyTo, subject, text, messageId });
    },
  };
}
