/** bench:extraction counts only the expected strings that a document contains, not those of our rendering. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createZip } from '../../../apps/admin/export/zip-writer.ts';
import { withContainedStrings } from '../../../bench/extraction/document-text.ts';

async function contained(bytes: Uint8Array | string, strings: string[], format = 'any'): Promise<string[]> {
  const expected = { origin: '', url: null, strings, tables: [], main: null, absent: [] };
  const sample = { format, filename: 'a', path: 'a', bytes: Buffer.from(bytes), expected };
  return (await withContainedStrings(sample)).expected.strings;
}

test.each([
  ['JSON', '{"page":1,"name":"Jos\\u00e9\\nPe\\u00f1a"}', ['José Peña'], ['page:']],
  ['HTML', '<p>Fish &amp; <b>chi</b>ps&nbsp;for “two”</p>', ['Fish & chips for "two"'], ['Chips']],
  ['RTF', "{\\rtf1\\ansicpg1251 \\b \\'cf\\'ee\\'e3\\'ee\\'e4\\'e0\\b0  \\u8364?5\\par}", ['Погода €5'], ['Погода 5']],
  ['mail', 'From: a\nMIME-Version: 1.0\n\nGr=C3=BC=\n=C3=9Fe\n', ['Grüße'], ['2024-03-02']],
  ['windows-1251', Uint8Array.of(0xd6, 0xe5, 0xed, 0xe0, 0x09, 0x35), ['Цена 5'], ['Cena']],
  [
    'UTF-16 within bytes',
    Buffer.concat([Uint8Array.of(0xff), Buffer.from('Lisbon', 'utf16le')]),
    ['Lisbon'],
    ['Porto'],
  ],
  ['Japanese lines', '電車の\n切符', ['電車の切符'], ['切符の電車']],
])('strings in %s', async (_, document, inside, outside) => {
  expect(await contained(document, [...inside, ...outside])).toEqual(inside);
});

test('strings in the text files of a ZIP, and all strings of a PDF', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-zip-'));
  try {
    const zip = await createZip(join(folder, 'a.zip'));
    const options = { modifiedAt: new Date() };
    await zip.add('word/document.xml', '<w:t>Water </w:t><w:t>boils</w:t>', options);
    await zip.add('media/a.png', 'pixels', options);
    await zip.finish('manifest.json', { made: 'here' });
    const bytes = await readFile(join(folder, 'a.zip'));
    expect(await contained(bytes, ['Water boils', 'pixels'])).toEqual(['Water boils']);
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(await contained('%PDF-1.7', ['anything'], 'pdf')).toEqual(['anything']);
});
