import { languageOf } from '../../../../extraction/findings/context/language.ts';

test('names and identifiers in a technical text do not change its language', () => {
  const text =
    'The wrapAnsi() function takes options.columns and a string with ANSI escape codes, like one styled by chalk. ' +
    'It is used by css-what, json5 and node_modules/cliui, and returns the text with line breaks at the width that was asked for.';
  expect(languageOf([text], null)).toBe('en');
  expect(languageOf(['wrap-ansi', 'columns', 'API', text, 'string', 'json5'], null)).toBe('en');
});

test('a text half in one language and half in another has no language', () => {
  const english = 'The weather is nice today and we are going to the park with all of the children. '.repeat(10);
  const german = 'Das Wetter ist heute schön, und wir gehen alle zusammen mit den Kindern in den Park. '.repeat(10);
  expect(languageOf([english], null)).toBe('en');
  expect(languageOf([english, german, german, english], null)).toBeNull();
});

test('a text that fits two languages alike has none of its own, however often it repeats itself', () => {
  const ambiguous = 'Water boils at a hundred degrees. ';
  for (const times of [1, 10, 600]) {
    expect(languageOf([ambiguous.repeat(times)], null)).toBeNull();
    expect(languageOf([ambiguous.repeat(times)], 'en')).toBe('en');
  }
});
