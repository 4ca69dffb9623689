import { once } from 'node:events';
import { createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { createMailer, MailError } from '../../platform/mail.ts';

const mail = {
  to: 'support@example.com',
  replyTo: 'me@example.com',
  subject: 'Subject',
  text: 'Text.',
  messageId: '<a@example.com>',
};

test('without a URL send fails and names SMTP_URL', async () => {
  await expect(createMailer({ url: undefined, from: 'a@example.com' }).send(mail)).rejects.toThrow('SMTP_URL');
});

test.each(['to', 'replyTo', 'subject', 'messageId'])('a line break in %s fails before connecting', async (name) => {
  const mailer = createMailer({ url: 'smtp://127.0.0.1:1', from: 'a@example.com' });
  for (const lineBreak of ['\r\nBcc: b@example.com', '\n', '\r']) {
    await expect(mailer.send({ ...mail, [name]: `a@example.com${lineBreak}` })).rejects.toThrow(
      `A line break in ${name}`,
    );
  }
});

test('a password is sent only over TLS', async () => {
  const received: string[] = [];
  // A server without STARTTLS, like one behind an attacker who strips it.
  const server = createServer((socket) => {
    socket.on('error', () => undefined).write('220 mail ready\r\n');
    socket.on('data', (data) => {
      received.push(String(data));
      socket.write(String(data).startsWith('EHLO') ? '250-mail\r\n250 AUTH PLAIN LOGIN\r\n' : '502 no\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const mailer = createMailer({ url: `smtp://user:secret@127.0.0.1:${port}`, from: 'a@example.com' });
    await expect(mailer.send(mail)).rejects.toThrow(/STARTTLS/);
    expect(received.join('')).not.toMatch(/AUTH|secret|c2VjcmV0/);
  } finally {
    server.close();
  }
});
test('the error of a rejected mail has the server’s codes and not its text', async () => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, callback) {
      stream.resume().once('end', () => {
        const rejection = new Error('5.7.1 Rejected as spam: "a rareword"');
        callback(Object.assign(rejection, { responseCode: 554 }));
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = z.object({ port: z.int() }).parse(server.server.address());
    const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'a@example.com' });
    const error: unknown = await mailer.send({ ...mail, text: 'a rareword' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MailError);
    expect(String(error)).toContain('The mail server responded 554 5.7.1 to');
    expect(JSON.stringify(error) + String(error)).not.toContain('rareword');
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  }
});

test('the error of an unreachable server has the code of the connection', async () => {
  const mailer = createMailer({ url: 'smtp://127.0.0.1:1', from: 'a@example.com' });
  await expect(mailer.send(mail)).rejects.toThrow('ECONNREFUSED');
});
