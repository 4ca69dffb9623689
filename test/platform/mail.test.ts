import { createMailer } from '../../platform/mail.ts';

const mail = {
  to: 'support@example.com',
  replyTo: 'me@example.com',
  subject: 'Subject',
  text: 'Text.',
  messageId: '<a@example.com>',
};

test('without a server it says which setting is missing', async () => {
  await expect(createMailer({ url: undefined, from: 'a@example.com' }).send(mail)).rejects.toThrow('SMTP_URL');
});

test.each(['to', 'replyTo', 'subject', 'messageId'])('a line break in %s never gets to a server', async (name) => {
  const mailer = createMailer({ url: 'smtp://127.0.0.1:1', from: 'a@example.com' });
  for (const lineBreak of ['\r\nBcc: b@example.com', '\n', '\r']) {
    await expect(mailer.send({ ...mail, [name]: `a@example.com${lineBreak}` })).rejects.toThrow(
      `A line break in ${name}`,
    );
  }
});
