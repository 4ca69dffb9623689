import { containerKind } from '../../../../extraction/detection/containers/kind.ts';
import { listedText } from '../../../../extraction/detection/containers/zip-directory.ts';
import { zipOf } from '../../hostile/zip-writer.ts';

const types = (main: string) =>
  `<Types><Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"/>
  <Override PartName="/main.xml" ContentType="${main}"/></Types>`;
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
const deck = 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml';
const packed = (main: string) => zipOf([{ path: '[Content_Types].xml', data: types(main) }]);

describe('the kind of a container', () => {
  it.each([
    [word, 'docx'],
    ['application/vnd.ms-word.template.macroEnabledTemplate.main+xml', 'docx'],
    [deck, 'pptx'],
    ['application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml', 'pptx'],
    ['application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml', 'pptx'],
    [sheet, 'xlsx'],
    ['application/vnd.ms-excel.sheet.binary.macroEnabled.main', 'xlsx'],
    ['application/vnd.ms-visio.drawing.main+xml', null],
  ])('follows from the content type %s of its main part', (main, kind) => {
    expect(containerKind(packed(main))).toBe(kind);
  });

  it('is presentation even with an uncompressed embedded workbook', () => {
    const workbook = zipOf([
      { path: '[Content_Types].xml', data: types(sheet) },
      { path: 'xl/workbook.xml', data: '<workbook/>' },
    ]);
    const bytes = zipOf([
      { path: '[Content_Types].xml', data: types(deck) },
      { path: 'ppt/presentation.xml', data: '<p:presentation/>' },
      { path: 'ppt/embeddings/sheet.xlsx', data: Buffer.from(workbook), stored: true },
    ]);
    expect(containerKind(bytes)).toBe('pptx');
  });

  it('follows from the file "mimetype" at any position', () => {
    const bytes = zipOf([
      { path: 'content.xml', data: '<office:document-content/>' },
      { path: 'mimetype', data: 'application/vnd.oasis.opendocument.text\n' },
    ]);
    expect(containerKind(bytes)).toBe('odt');
  });

  it('follows from the usual paths if the container declares nothing', () => {
    expect(containerKind(zipOf([{ path: 'word/document.xml', data: '<w:document/>' }]))).toBe('docx');
    expect(containerKind(zipOf([{ path: 'notes.txt', data: 'word/document.xml' }]))).toBeNull();
  });

  it('is found in a file with a trailing comment, and not in a truncated one', () => {
    const whole = packed(word);
    const commented = Buffer.concat([whole, Buffer.from('made by hand')]);
    commented.writeUInt16LE(12, whole.length - 2);
    expect(containerKind(commented)).toBe('docx');
    for (let length = 0; length < whole.length; length += 7)
      expect(containerKind(whole.subarray(0, length))).toBeNull();
  });
});

it('a listed file above the requested size has no text', () => {
  const bytes = zipOf([{ path: 'a', data: 'x'.repeat(1000) }]);
  expect(listedText(bytes, 'a', 1000)).toHaveLength(1000);
  expect(listedText(bytes, 'a', 999)).toBeNull();
});
