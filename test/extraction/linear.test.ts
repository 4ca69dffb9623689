/** Documents of very many small elements are read in linear time. */

import { textSample } from '../../extraction/detection/text-sample.ts';
import { defaultLimits } from '../../extraction/limits.ts';
import { writeInline } from '../../extraction/readers/document/inline.ts';
import { csv } from '../../extraction/readers/formats/csv.ts';
import { eml } from '../../extraction/readers/formats/eml.ts';
import { jsonToMarkdown } from '../../extraction/readers/formats/json.ts';
import { rss } from '../../extraction/readers/formats/rss.ts';
import { rtf } from '../../extraction/readers/formats/rtf.ts';
import { srt } from '../../extraction/readers/formats/srt.ts';
import { vtt } from '../../extraction/readers/formats/vtt.ts';
import { xml } from '../../extraction/readers/formats/xml.ts';
import { blocksOf } from '../../extraction/readers/sheets/blocks.ts';
import type { PlacedCell } from '../../extraction/readers/sheets/sheet.ts';
import { descendantsOf, parseXml, textOf } from '../../extraction/readers/xml/parse.ts';
import { contentOf, readAs } from './content.ts';

/** More than the maximum number of arguments of a JavaScript call. */
const MANY = 200_000;

/** Asserts that `read` takes less than 5 s of CPU time; quadratic time would be a minute. */
async function inTime<T>(read: () => T | Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await read();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(5_000);
  return result;
}

test('an element may have very many children', () => {
  const root = parseXml(`<r><a>${'<b>x</b>'.repeat(MANY)}</a></r>`, defaultLimits);
  expect(descendantsOf(root, 'b')).toHaveLength(MANY);
  expect(textOf(root)).toHaveLength(MANY);
});

test('a JSON list may have very many values of several kinds', () => {
  const { markdown } = jsonToMarkdown({ list: ['x', ...Array.from({ length: MANY }, () => [['y']])] }, defaultLimits);
  expect(markdown.match(/y/g)).toHaveLength(MANY);
});

test('a cue may have very many voices', async () => {
  const lines = Array.from({ length: MANY }, (_, at) => `- Yes, ${at}.`).join('\n');
  const { markdown } = await readAs(srt, `1\n00:00:01,000 --> 00:00:03,000\n${lines}`);
  expect(markdown.match(/Yes/g)).toHaveLength(MANY);
});

test('a cell of a truncated RTF may have very many paragraphs', async () => {
  const { markdown } = await readAs(rtf, `{\\rtf1\\pard\\intbl\\itap2 ${'Yes.\\par '.repeat(MANY)}\\pard End.\\par}`);
  expect(markdown.match(/Yes/g)).toHaveLength(MANY);
});

test('unclosed voices are read in linear time', async () => {
  const { markdown } = await inTime(() =>
    readAs(vtt, `WEBVTT\n\n00:01.000 --> 00:02.000\n${'<v '.repeat(MANY)}{\\${'{\\'.repeat(MANY)} Hello`),
  );
  expect(markdown).toContain('Hello');
});

test('elements of alternating names are read in linear time', async () => {
  const PAIRS = 100_000;
  const body = '<para>One.</para><note>See <b>two</b>.</note>'.repeat(PAIRS);
  const { markdown } = await inTime(() => readAs(xml, `<?xml version="1.0"?><doc>${body}</doc>`));
  expect(markdown.match(/One/g)).toHaveLength(PAIRS);
});

test('a mail may have very many quotes and replies, and very many spaces in a line', async () => {
  const body = `${'> No?\nYes.\n'.repeat(MANY / 2)}so${' '.repeat(MANY)}it is`;
  const { markdown } = await inTime(() => readAs(eml, `From: a@mail.example\nSubject: x\n\n${body}`));
  expect(markdown.match(/Yes/g)).toHaveLength(MANY / 2);
});

test('spaces within emphasis and code are read in linear time', async () => {
  const text = `a${' '.repeat(MANY)}b`;
  await inTime(() => {
    for (const mark of ['bold', 'code'] as const) {
      const markdown = writeInline([{ kind: 'text', text, marks: new Set([mark]), href: 'https://x.example/' }]);
      expect(markdown).toContain(text);
    }
  });
});

test('a sheet may have an empty row below each of very many', async () => {
  const cells = Array.from({ length: MANY }, (_, at): PlacedCell[] =>
    [0, 1, 2].map((column) => ({
      row: at * 2,
      column,
      cell: { kind: 'number', text: '1', link: null, comments: [] },
    })),
  ).flat();
  expect(await inTime(() => blocksOf(cells))).toEqual([cells]);
});

test('cells that look like addresses and titles that look like links are read in linear time', async () => {
  const address = '@.'.repeat(MANY / 10);
  const { markdown } = await inTime(() => readAs(csv, `name,${address} x\nAnn,1\n`));
  expect(markdown).toContain('Ann');
  const title = `&lt;b&gt;x&lt;/b&gt;${'['.repeat(MANY / 40)}end`;
  const feed = await inTime(() =>
    readAs(rss, `<rss><channel><title>${title}</title><item><title>a</title></item></channel></rss>`),
  );
  expect(feed.title).toContain('end');
});

test('an unclosed document type is read in linear time', async () => {
  expect(await inTime(() => textSample(contentOf(`<!DOCTYPE${' '.repeat(MANY)}`)).xmlRoot())).toBeNull();
  const whole = '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd" [ <!ENTITY b "c"> ] >\n<x:a/>';
  expect(textSample(contentOf(whole)).xmlRoot()).toBe('a');
});
