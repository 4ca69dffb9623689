import { withWholeWords } from '../../../../extraction/readers/pdf/ligatures.ts';
import { item } from './page.ts';

/** A line of words with the gaps between them in points. */
function line(...words: [text: string, gap: number][]) {
  let x = 72;
  const boxes = words.map(([text, gap]) => {
    const box = { text, x: x + gap, y: 100, width: text.length * 5, height: 10 };
    x = box.x + box.width;
    return box;
  });
  return { textItems: [item(words.map(([text]) => text).join(' '), 72, 100, { words: boxes })] };
}

test('a word split after a ligature is joined', () => {
  const page = line(['form', 0], ['fi', 3], ['elds.', 0], ['Th', 3], ['e', 0.1], ['diff', 3], ['erent', -0.9]);
  expect(withWholeWords('form fi elds. Th e diff erent', page)).toBe('form fields. The different');
});

test.each([
  ['a space is between them', line(['sniff', 0], ['about', 3])],
  ['not a ligature', line(['form', 0], ['elds', 0])],
])('two words stay separate: %s', (_, page) => {
  const text = page.textItems[0]?.text ?? '';
  expect(withWholeWords(text, page)).toBe(text);
});
