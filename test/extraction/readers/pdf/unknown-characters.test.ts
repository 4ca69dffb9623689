import {
  isUnknown,
  unknownWarnings,
  withKnownCharacters,
} from '../../../../extraction/readers/pdf/unknown-characters.ts';

test.each([
  ['\uf097 Challenges', '- Challenges'],
  ['\u0017RAI recommendations\n\u0017Repeat', '- RAI recommendations\n- Repeat'],
  ['costs \uf06e and hardware', 'costs • and hardware'],
  ['\uf06e\n\ntext', '\ntext'],
  ['wor\ue302d', 'wor\ufffdd'],
  ['plain • text — with “signs”', 'plain • text — with “signs”'],
])('%j is read as %j', (markdown, known) => {
  expect(withKnownCharacters(markdown)).toBe(known);
});

test('unknown characters are counted', () => {
  expect(unknownWarnings(['wor\ufffdd', 'and \ufffd\ufffd'])).toEqual([
    { code: 'characters_unknown', message: expect.stringMatching(/^3 characters are unknown and shown as �/) },
  ]);
  expect(unknownWarnings(['all is known'])).toEqual([]);
});

test('a page with a wrong character mapping is reported', () => {
  const text =
    'where fonts name other letters than those which they draw nobody could read what comes from them '.repeat(4);
  const shifted = text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 3) % 26) + 97));
  expect(unknownWarnings([text, shifted])).toEqual([
    { code: 'text_garbled', message: expect.stringMatching(/^The text of 1 of 2 pages is probably wrong/) },
  ]);
});

test('a text of only unknown characters counts as empty', () => {
  expect([isUnknown('\ufffd\ufffd - \ufffd'), isUnknown('\ufffd a'), isUnknown('---')]).toEqual([true, false, false]);
});
