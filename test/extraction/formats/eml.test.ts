import { detectFormat } from '../../../extraction/detect.ts';
import { eml } from '../../../extraction/formats/eml.ts';
import { contentOf, readAs } from '../content.ts';
import { lacking, sampleOf, samplesOf } from '../samples.ts';

test.each(samplesOf('eml'))('$name holds what a reader expects', async (sample) => {
  expect((await detectFormat(contentOf(sample.bytes))).format.name).toBe('eml');
  expect(lacking(sample, await readAs(eml, sample.bytes))).toEqual([]);
});

test('a mail within a mail is a section and a part; attachments are named', async () => {
  const { markdown, parts } = await readAs(eml, sampleOf('eml', 'forward.eml'));
  expect(parts?.starts.map((start) => markdown.slice(start, start + 10))).toEqual(['# Fwd: Wat', '## Water o']);
  const order = await readAs(eml, sampleOf('eml', 'order.eml'));
  expect(order.markdown).toContain('- Rechnung März.pdf (application/pdf, 4.8 kB)');
  expect(order.warnings).toEqual([{ code: 'attachments_not_read', message: '1 attachment is named only, not read.' }]);
  expect(order.about).toEqual({ author: 'Bücher Kern', publishedAt: '2024-03-05T18:02:11+01:00' });
});

test('quotes of quotes end where they are answered', async () => {
  const { markdown } = await readAs(eml, sampleOf('eml', 'reply.eml'));
  expect(markdown).toContain('> > Is the lab booked?\n>\n> No.\n\nBest, Mara\n\n---\n\nMara Vogel');
});

test('mails within mails beyond the limit end as extraction_limit; encrypted ones as file_encrypted', async () => {
  let nested = 'From: a@b.example\nSubject: inner\n\nhello';
  for (let depth = 0; depth < 5; depth += 1)
    nested = `From: a@b.example\nSubject: x\nContent-Type: message/rfc822\n\n${nested}`;
  await expect(readAs(eml, nested, { limits: { nesting: 4 } })).rejects.toMatchObject({ code: 'extraction_limit' });
  const secret =
    'From: a@b.example\nContent-Type: multipart/encrypted; boundary=x\n\n--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x--\n';
  await expect(readAs(eml, secret)).rejects.toMatchObject({ code: 'file_encrypted' });
});
