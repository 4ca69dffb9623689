import { rtf } from '../../../../extraction/readers/formats/rtf.ts';
import { readAs } from '../../content.ts';
import { samplesOf, unmetExpectations } from '../../samples.ts';

test.each(samplesOf('rtf'))('$name has all expected strings and tables', async (sample) => {
  expect(unmetExpectations(sample, await readAs(rtf, sample.bytes))).toEqual([]);
});

const document = (body: string) =>
  `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset128 MS Mincho;}}{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}}${body}}`;

test('headings, emphasis, code pages, lists, links and notes', async () => {
  const { markdown } = await readAs(
    rtf,
    document(
      "\\pard\\s1 Minutes\\par\\pard {\\b Anna}, Bj\\u246?rn, caf\\'e9 {\\f1 \\'93\\'fa\\'96\\'7b}\\par{\\listtext 1.\\tab}First\\par{\\listtext 2.\\tab}Second{\\footnote\\pard A note.}\\par\\pard {\\field{\\*\\fldinst HYPERLINK \"https://example.org/\"}{\\fldrslt the site}}\\par",
    ),
  );
  expect(markdown).toBe(
    '# Minutes\n\n**Anna**, Björn, café 日本\n\n1. First\n2. Second[^1]\n\n[the site](https://example.org/)\n\n[^1]: A note.',
  );
});

test('rows become a table, merged cells are empty and reported', async () => {
  const { markdown, warnings } = await readAs(
    rtf,
    document(
      '\\trowd\\cellx1000\\cellx2000\\pard\\intbl Name\\cell Sum\\cell\\row\\trowd\\clmgf\\cellx1000\\clmrg\\cellx2000\\pard\\intbl both\\cell\\cell\\row\\pard End\\par',
    ),
  );
  expect(markdown).toBe('| Name | Sum |\n| --- | --- |\n| both |  |\n\nEnd');
  expect(warnings?.map(({ code }) => code)).toEqual(['merged_cells']);
});

test('binary data and images are skipped, deep groups end as extraction_limit', async () => {
  const { markdown, warnings } = await readAs(
    rtf,
    document('{\\pict\\bin5 }}}}}}before {\\*\\unknown lost}after\\par'),
  );
  expect(markdown).toBe('before after');
  expect(warnings?.map(({ code }) => code)).toEqual(['images_without_text']);
  await expect(readAs(rtf, document('{'.repeat(1000)))).rejects.toMatchObject({ code: 'extraction_limit' });
  await expect(readAs(rtf, 'no rtf')).rejects.toMatchObject({ code: 'file_damaged' });
});

test('an image yields its description, a shape its text without its properties', async () => {
  const property = (name: string, value: string) => `{\\sp{\\sn ${name}}{\\sv ${value}}}`;
  const { markdown, warnings } = await readAs(
    rtf,
    document(
      `Before {\\*\\shppict{\\pict{\\*\\picprop${property('shapeType', '75')}${property('wzDescription', 'A lighthouse')}}\\pngblip 89504e47}}{\\nonshppict{\\pict\\wmetafile8 0100}} after\\par{\\pict\\pngblip 8950}{\\shp{\\*\\shpinst\\shpleft0${property('posrelh', '3')}${property('pib', '{\\pict 0102}')}{\\shptxt Boxed\\par}}{\\shprslt Boxed\\par}}\\par`,
    ),
  );
  expect(markdown).toBe('Before ![A lighthouse](image) after\n\nBoxed');
  expect(warnings?.map(({ code, message }) => [code, /\d/.exec(message)?.[0]])).toEqual([['images_without_text', '2']]);
});

test('tracked deletions, comments and tables of contents are removed and reported, superscript digits are kept', async () => {
  const { markdown, warnings } = await readAs(
    rtf,
    document(
      'Kept{\\deleted  gone}{\\revised  added}{\\*\\atnid A}{\\*\\annotation A remark.} 5 m{\\super 2}\\par{\\field{\\*\\fldinst{ TOC \\\\o "1-3" }}{\\fldrslt{Chapter one\\tab 3\\par Chapter two\\tab 5\\par}}}\\pard Text\\par',
    ),
  );
  expect(markdown).toBe('Kept added 5 m²\n\nText');
  expect(warnings?.map(({ code }) => code)).toEqual(['tracked_deletions', 'comments', 'table_of_contents']);
});

test('a nested table is read as a table, with its own columns', async () => {
  const nested = (...cells: string[]) =>
    `\\pard\\intbl\\itap2 ${cells.join('\\nestcell ')}\\nestcell{\\*\\nesttableprops\\trowd\\cellx700\\cellx900\\nestrow}{\\nonesttables\\par}`;
  const { markdown } = await readAs(
    rtf,
    document(
      `\\trowd\\cellx1000\\cellx2000\\pard\\intbl Left\\cell\\pard\\intbl Above\\par${nested('a', 'b')}${nested('c', 'd')}\\pard\\intbl\\cell\\row\\trowd\\cellx1000\\cellx2000\\pard\\intbl x\\cell y\\cell\\row\\pard After\\par`,
    ),
  );
  expect(markdown).toBe('| Left | Above<br>a / b<br>c / d |\n| --- | --- |\n| x | y |\n\nAfter');
});
