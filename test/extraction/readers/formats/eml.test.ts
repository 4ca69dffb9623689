import { execFileSync } from 'node:child_process';
import { convertToMarkdown } from '../../../../extraction/convert.ts';
import { detectFormat } from '../../../../extraction/detection/detect.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { eml } from '../../../../extraction/readers/formats/eml.ts';
import { contentOf, readAs } from '../../content.ts';
import { sampleOf, samplesOf, unmetExpectations } from '../../samples.ts';

test.each(samplesOf('eml'))('$name has all expected strings and tables', async (sample) => {
  expect((await detectFormat(contentOf(sample.bytes))).format.name).toBe('eml');
  expect(unmetExpectations(sample, await readAs(eml, sample.bytes))).toEqual([]);
});

test('a nested mail is a section and a part; attachments are listed', async () => {
  const { markdown, parts } = await readAs(eml, sampleOf('eml', 'forward.eml'));
  expect(parts?.starts.map((start) => markdown.slice(start, start + 10))).toEqual(['# Fwd: Wat', '## Water o']);
  const order = await readAs(eml, sampleOf('eml', 'order.eml'));
  expect(order.markdown).toContain('- Rechnung März.pdf (application/pdf, 4.8 kB)');
  expect(order.warnings).toEqual([
    { code: 'attachments_not_read', message: 'Listed but not read: 1 attachment. Send each as a file.' },
  ]);
  expect(order.about).toEqual({ author: 'Bücher Kern', publishedAt: '2024-03-05T18:02:11+01:00' });
});

test('nested quotes end at the reply', async () => {
  const { markdown } = await readAs(eml, sampleOf('eml', 'reply.eml'));
  expect(markdown).toContain('> > Is the lab booked?\n>\n> No.\n\nBest, Mara\n\n---\n\nMara Vogel');
});

test('nested mails beyond the limit end as extraction_limit; encrypted ones as file_encrypted', async () => {
  let nested = 'From: a@b.example\nSubject: inner\n\nhello';
  for (let depth = 0; depth < 5; depth += 1)
    nested = `From: a@b.example\nSubject: x\nContent-Type: message/rfc822\n\n${nested}`;
  await expect(readAs(eml, nested, { limits: { nesting: 4 } })).rejects.toMatchObject({ code: 'extraction_limit' });
  const secret =
    'From: a@b.example\nContent-Type: multipart/encrypted; boundary=x\n\n--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x--\n';
  await expect(readAs(eml, secret)).rejects.toMatchObject({ code: 'file_encrypted' });
});

test('the charset of a text comes from its bytes, then from its declaration, then from detection', async () => {
  const head = 'From: a@mail.example\nSubject: x\nMIME-Version: 1.0\n';
  const read = async (type: string, body: Uint8Array) =>
    readAs(eml, Buffer.concat([Buffer.from(`${head}Content-Type: ${type}\n\n`), body]));
  const utf8 = await read('text/plain; charset=gb2312', Buffer.from('你好！电话'));
  expect(utf8.markdown).toContain('你好！电话');
  const latin9 = await read('text/plain; charset=iso-8859-15', Buffer.from('Preis: 5 \xa4 f\xfcr zwei', 'latin1'));
  expect(latin9.markdown).toContain('Preis: 5 € für zwei');
  expect(latin9.warnings).toEqual([]);
  const bytes = Buffer.from(`${head}Content-Type: text/plain; charset=iso-8859-15\n\nf\xfcr`, 'latin1');
  expect((await convertToMarkdown(contentOf(bytes), defaultLimits)).warnings).toEqual([]);
  const undeclared = await read('text/plain', Buffer.from('Die Frösche fürchten den Ärger', 'latin1'));
  expect(undeclared.markdown).toContain('Die Frösche fürchten den Ärger');
  expect(undeclared.warnings?.map(({ code }) => code)).toEqual(['encoding_guessed']);
  const utf7 = await read('text/plain; charset=utf-7', Buffer.from('Die Fr+APY-sche 1+-1'));
  expect(utf7.markdown).toContain('Die Frösche 1+1');
});

test('an unencoded header is read in the charset of the body', async () => {
  const mail =
    'From: J\xf6rg <j@mail.example>\nSubject: F\xfcr dich\nContent-Type: text/plain; charset=iso-8859-1\n\nHi';
  const { title, about } = await readAs(eml, Buffer.from(mail, 'latin1'));
  expect([title, about?.author]).toEqual(['Für dich', 'Jörg']);
});

test('flowed lines are joined within their quote', async () => {
  const { markdown } = await readAs(
    eml,
    'From: a@mail.example\nContent-Type: text/plain; format=flowed\n\n> one \n> two\nthree \nfour\n-- \nJo',
  );
  expect(markdown).toContain('> one two\n\nthree four\n\n---\n\nJo');
});

test('the HTML alternative is read, and other texts keep their order', async () => {
  const { markdown } = await readAs(
    eml,
    'From: a@mail.example\nContent-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: multipart/alternative; boundary=a\n\n' +
      '--a\nContent-Type: text/html\n\n<p>rich <b>text</b></p>\n--a\nContent-Type: text/plain\n\npoor text\n--a--\n' +
      '--m\nContent-Type: text/x-patch\n\n-old\n+new\n--m\nContent-Type: text\n\nThe list\n--m--\n',
  );
  expect(markdown).toContain('rich **text**\n\n```diff\n-old\n+new\n```\n\nThe list');
  expect(markdown).not.toContain('poor');
});

test('attachment names are read in all encodings', async () => {
  const part = (disposition: string) =>
    `--m\nContent-Type: application/pdf\nContent-Disposition: attachment; ${disposition}\n\nx\n`;
  const { markdown } = await readAs(
    eml,
    `From: a@mail.example\nContent-Type: multipart/mixed; boundary="m"\n\n${part("filename*=UTF-8''%e2%82%ac%20rates.pdf")}` +
      `${part('filename*0*=iso-8859-1\'de\'R%E4tsel; filename*1=" 100%.pdf"')}${part('filename="=?utf-8?B?w7wucGRm?="')}--m--\n`,
  );
  expect(markdown.match(/^- .*\.pdf/gm)).toEqual(['- € rates.pdf', '- Rätsel 100%.pdf', '- ü.pdf']);
});

test('a nested mail may be encoded', async () => {
  const inner = Buffer.from('From: b@mail.example\nSubject: Inner\n\nHello').toString('base64');
  const { markdown } = await readAs(
    eml,
    `From: a@mail.example\nSubject: Outer\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${inner}`,
  );
  expect(markdown).toContain('## Inner\n\n- **From:** <b@mail.example>\n- **Subject:** Inner\n\nHello');
});

test('a mailbox is its mails in order, each a part', async () => {
  const mail = (name: string) =>
    `From ${name}@mail.example Thu Jan  4 09:05:00 2024\nFrom: ${name}@mail.example\nSubject: By ${name}\n\nFrom here on.\n\nFrom now.\n\n`;
  const { markdown, parts, title } = await readAs(eml, mail('ann') + mail('bob'));
  expect(parts?.starts.map((start) => markdown.slice(start, start + 8))).toEqual(['# By ann', '# By bob']);
  expect(markdown.match(/From now\./g)).toHaveLength(2);
  expect(title).toBeNull();
});

test('a date without a time zone does not depend on the local time zone', () => {
  const reader = new URL('../../../../extraction/readers/mail/headers.ts', import.meta.url).href;
  const parts = new URL('../../../../extraction/readers/mail/mime.ts', import.meta.url).href;
  const limits = new URL('../../../../extraction/limits.ts', import.meta.url).href;
  const dateIn = (zone: string, date: string) =>
    execFileSync(
      process.execPath,
      [
        '--no-warnings',
        '--input-type=module',
        '--eval',
        `import { dateOf } from '${reader}'; import { parseMime } from '${parts}'; import { defaultLimits } from '${limits}';
        console.log(dateOf(parseMime(${JSON.stringify(`Date: ${date}\n\n`)}, defaultLimits)))`,
      ],
      { env: { ...process.env, TZ: zone }, encoding: 'utf8' },
    ).trim();
  expect(dateIn('Asia/Tokyo', 'Mon, 1 Jan 2024 09:00:00')).toBe('2024-01-01T09:00:00Z');
  expect(dateIn('Asia/Tokyo', 'Mon, 1 Jan 2024 09:00:00 EST (here)')).toBe('2024-01-01T14:00:00Z');
});
