import { CFB, utils, write } from '@e965/xlsx';
import { convertToMarkdown } from '../../../../extraction/convert.ts';
import { detectFormat } from '../../../../extraction/detection/detect.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { xls } from '../../../../extraction/readers/formats/xls.ts';
import { contentOf, readAs } from '../../content.ts';
import { sampleOf, samplesOf, unmetExpectations } from '../../samples.ts';

test.each(samplesOf('xls'))('$name has all expected strings and tables', async (sample) => {
  expect(unmetExpectations(sample, await readAs(xls, sample.bytes))).toEqual([]);
});

test('an XLS workbook yields sheets, formats, dates and hidden sheets', async () => {
  const { markdown, warnings, parts } = await readAs(xls, sampleOf('xls', 'notes.xls'));
  expect(markdown).toContain('## 5A\n\n| Élève | Mathématiques | Français | Appréciation |');
  expect(parts?.starts).toHaveLength(3);
  expect(warnings).toEqual([{ code: 'hidden_sheets', message: 'Kept: 1 hidden sheet ("Barème").' }]);
  expect((await readAs(xls, sampleOf('xls', 'plan.xls'))).markdown).toContain(
    '| Обследование | 2012-04-02 | 2012-04-13 | 100% |',
  );
});

test('a HYPERLINK formula becomes a link', async () => {
  expect((await readAs(xls, sampleOf('xls', 'plan.xls'))).markdown).toContain(
    '[Подробный план](https://example.org/plan)',
  );
});

test('compound files are distinguished by their streams', async () => {
  const compound = (...names: string[]) => {
    const file = CFB.utils.cfb_new();
    for (const name of names) CFB.utils.cfb_add(file, `/${name}`, Buffer.alloc(8000));
    return contentOf(new Uint8Array(CFB.write(file, { type: 'buffer' })));
  };
  expect((await detectFormat(compound('Workbook'))).format.name).toBe('xls');
  expect((await detectFormat(compound('Book'))).format.name).toBe('xls');
  await expect(detectFormat(compound('WordDocument'))).rejects.toThrow('a Word document');
  await expect(detectFormat(compound('WordDocument', 'ObjectPool/Workbook'))).rejects.toThrow('a Word document');
  await expect(detectFormat(compound('PowerPoint Document'))).rejects.toThrow('resentation');
  await expect(detectFormat(compound('__properties_version1.0'))).rejects.toThrow('an Outlook message');
  await expect(detectFormat(compound('Something'))).rejects.toMatchObject({ code: 'unsupported_format' });
});

test('a workbook with a FILEPASS record is encrypted', async () => {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['secret']]), 'S');
  const file = CFB.read(write(book, { type: 'buffer', bookType: 'biff8' }), { type: 'buffer' });
  const stream: Uint8Array = CFB.find(file, '/Workbook').content;
  const firstRecord = 4 + Buffer.from(stream).readUInt16LE(2);
  const rc4 = Buffer.alloc(58);
  rc4.set([0x2f, 0, 54, 0, 1, 0, 1, 0, 1, 0]);
  CFB.find(file, '/Workbook').content = Buffer.concat([stream.slice(0, firstRecord), rc4, stream.slice(firstRecord)]);
  const bytes = new Uint8Array(CFB.write(file, { type: 'buffer' }));
  await expect(readAs(xls, bytes)).rejects.toMatchObject({ code: 'file_encrypted' });
});

test('a workbook truncated anywhere is file_damaged, never partly read', async () => {
  for (const name of ['statement.xls', 'namesdemo.xls']) {
    const bytes = sampleOf('xls', name);
    for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const cut = contentOf(bytes.subarray(0, Math.floor(bytes.length * part)), { filename: name });
      await expect(convertToMarkdown(cut, defaultLimits)).rejects.toMatchObject({ code: 'file_damaged' });
    }
  }
});

test('a formula that the parser cannot express yields its result', async () => {
  const { markdown } = await readAs(xls, sampleOf('xls', 'namesdemo.xls'));
  expect(markdown).toContain('| αβγδε | 12.3456.789 | TRUE |');
});
