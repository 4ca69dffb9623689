import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { type RunningMail, startMail } from '../../../apps/dev/servers/mail.ts';
import { freePort } from '../../../apps/dev/servers/ports.ts';
import { afterTest, temporaryFolder, until } from '../temporary.ts';

async function startedMail(maxBytes?: number): Promise<RunningMail> {
  const dataFolder = await temporaryFolder();
  const mail = await startMail({ dataFolder, port: await freePort(), ...(maxBytes === undefined ? {} : { maxBytes }) });
  afterTest(() => mail.stop());
  return mail;
}

const message = { from: 'a@example.com', to: 'support@example.com', subject: 'Grüße', text: 'It does not work.' };

test('each mail is one complete file, named by its time', async () => {
  const mail = await startedMail();
  const transport = nodemailer.createTransport(mail.url);
  const before = new Date().toISOString().replaceAll(/[-:.]/g, '');
  await transport.sendMail({ ...message, replyTo: 'user@example.com' });
  await transport.sendMail(message);
  const names = (await readdir(mail.folder)).toSorted();
  expect(names).toHaveLength(2);
  expect(names[0]).toMatch(/^\d{8}T\d{9}Z-[0-9a-f]{12}\.eml$/);
  expect((names[0] ?? '') > before).toBe(true);
  const text = await readFile(join(mail.folder, names[0] ?? ''), 'utf8');
  expect(text).toMatch(/^Reply-To: user@example\.com\r$/m);
  expect(text).toContain('It does not work.');
});

test('a mail beyond the size limit is rejected with 552 and leaves no file', async () => {
  const mail = await startedMail(10_000);
  const transport = nodemailer.createTransport(mail.url);
  const sent = transport.sendMail({ ...message, text: 'word '.repeat(10_000) });
  await expect(sent).rejects.toMatchObject({ responseCode: 552 });
  expect(await readdir(mail.folder)).toEqual([]);
});

test('a client that disconnects within a mail leaves no file, and later mails arrive', async () => {
  const mail = await startedMail();
  const { port } = new URL(mail.url);
  const socket = connect(Number(port), '127.0.0.1');
  const received: string[] = [];
  socket.on('data', (data) => received.push(String(data)));
  // The server disconnects clients that send before the greeting.
  await until('the server sends its greeting', async () => received.join('').includes('220 '));
  socket.write('EHLO me\r\n');
  await until('the server lists its extensions', async () => received.join('').includes('250 '));
  socket.write('MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n');
  await until('the server accepts data', async () => received.join('').includes('354 '));
  socket.write('Subject: half\r\n\r\nhalf a');
  await until('the unfinished mail is a file', async () => (await readdir(mail.folder)).length === 1);
  socket.destroy();
  await until('the file is removed', async () => (await readdir(mail.folder)).length === 0);
  await nodemailer.createTransport(mail.url).sendMail(message);
  expect(await readdir(mail.folder)).toHaveLength(1);
});
