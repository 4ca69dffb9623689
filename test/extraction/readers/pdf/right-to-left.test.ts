import { linesOf } from '../../../../extraction/readers/pdf/lines.ts';
import { inReadingDirection } from '../../../../extraction/readers/pdf/right-to-left.ts';
import { item, pageOf, paragraph } from './page.ts';

const bbox = { x: 0, y: 95, width: 600, height: 60 };
const read = (text: string, ...items: ReturnType<typeof item>[]) =>
  inReadingDirection([{ ...paragraph(text, 0, 95), bbox }], linesOf(pageOf(items)))[0]?.text;

test('right-to-left words in visual order are put in logical order, with the full stop after its word', () => {
  expect(
    read(
      'האוניברסלית הצהרה זכויות .האדם',
      item('.האדם', 100, 100),
      item('זכויות', 140, 100),
      item('של', 190, 100),
      item('הצהרה האוניברסלית', 220, 100, {
        words: [
          { text: 'האוניברסלית', x: 220, y: 100, width: 50, height: 10 },
          { text: 'הצהרה', x: 275, y: 100, width: 30, height: 10 },
        ],
      }),
    ),
  ).toBe('הצהרה האוניברסלית של זכויות האדם.');
});

test('lines keep their order, and Latin words and numbers within them keep theirs', () => {
  expect(
    read(
      'العربية اللغة PDF files',
      item('PDF', 100, 100),
      item('files', 130, 100),
      item('في', 170, 100),
      item('العربية', 200, 100),
      item('.1', 150, 114),
      item('مأمور', 170, 114),
    ),
  ).toBe('العربية في PDF files مأمور 1.');
});

test('left-to-right text is unchanged, even with a right-to-left word in it', () => {
  const text = 'The word שלום means peace';
  expect(read(text, item('שלום means peace', 100, 100), item('The word', 20, 100))).toBe(text);
});

test('cells of a table are put in logical order separately', () => {
  const cell = { text: 'העולם שלום', bbox: { x: 90, y: 98, width: 120, height: 14 } };
  const items = [item('העולם', 100, 100), item('שלום', 150, 100), item('abc', 300, 100)];
  const [table] = inReadingDirection(
    [{ kind: 'table', header: [cell], rows: [[cell, { text: 'abc' }]] }],
    linesOf(pageOf(items)),
  );
  expect(table?.rows?.[0]?.map(({ text }) => text)).toEqual(['שלום העולם', 'abc']);
});
