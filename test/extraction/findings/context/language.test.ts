import { languageByFunctionWords } from '../../../../extraction/findings/context/function-words.ts';
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

test.each([
  ['en', 'The office that you asked for is not in the town, but there are others to which we can send you.'],
  ['de', 'Das Amt, nach dem Sie gefragt haben, ist nicht in der Stadt, aber es gibt noch andere in der Nähe.'],
  ['fr', 'Le bureau que vous cherchez ne se trouve pas dans la ville, mais il y en a un autre pour vous.'],
  ['es', 'La oficina que usted busca no está en la ciudad, pero hay otras en las que se puede preguntar por ella.'],
  ['it', 'L’ufficio che cerca non è nella città, ma ce ne sono altri tra cui si può scegliere con la stessa carta.'],
  ['pt', 'O escritório que procura não fica na cidade, mas há outros em que se pode perguntar por ele.'],
  ['nl', 'Het kantoor waar u naar vraagt is niet in de stad, maar er zijn nog andere waar men het kan vragen.'],
])('function words decide for %s', (language, text) => {
  expect(languageByFunctionWords(text)).toBe(language);
  expect(languageOf([text], null)).toBe(language);
});

test('function words of two languages, or too few of one, decide nothing', () => {
  expect(languageByFunctionWords('The weather in the town is nice. Das Wetter in der Stadt ist schön.')).toBeNull();
  expect(languageByFunctionWords('Invoices from the importer: 12, 13, 14')).toBeNull();
});
