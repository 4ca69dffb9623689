import { countSentences } from '../../../../extraction/findings/context/sentences.ts';
import { processorMs } from '../../processor-time.ts';

test.each([
  ['"Yes."... Then he left.', 'en', 2],
  ['"handle."... There is more.', 'en', 2],
  ['He asked "Why?" and went. (Nobody knew.) So what!', 'en', 3],
  ['Dr. Smith met J. R. R. Tolkien, i.e. Ronald. See Fig. A.', 'en', 2],
  ['We sell pears, plums, etc. Prices are low.', 'en', 2],
  ['Pi is 3.14. Call f.g() or open a.txt now.', 'en', 2],
  ['Das ist z. B. Holz usw. Bäume fehlen u. a. Birken.', 'de', 1],
  ['Am 3. Oktober kam Hr. Maier. Es war Abb. A.', 'de', 2],
  ['We were 3. October came.', 'en', 2],
  ['M. Dupont et Mme. Durand sont là. Ils partent.', 'fr', 2],
  ['Это ул. Ленина. Он проф. Иванов.', 'ru', 2],
  ['今日は天気がいいです。公園に行きますか？はい！', 'ja', 3],
  ['यह पहला वाक्य है। यह दूसरा है।', 'hi', 2],
  ['... !!! " "', 'en', 0],
  ['one line\nof two', 'en', 1],
])('%j in %s', (text, language, sentences) => {
  expect(countSentences([text], language)).toBe(sentences);
});

test('the end of the text ends the last sentence', () => {
  expect(countSentences(['Dr.', 'Smith', 'says so', '', 'yes'], 'en')).toBe(4);
});

test('2 MB take below a second of processor time', () => {
  const unit = (text: string) => [text.repeat(Math.ceil(2_000_000 / text.length))];
  const many = Array.from({ length: 400_000 }, () => 'A. b.');
  for (const texts of [unit('He met Dr. Smith, and went. '), unit('. A'), unit('"."'), unit('a'), unit('.)'), many]) {
    expect(processorMs(() => countSentences(texts, 'de'))).toBeLessThan(1_000);
  }
});
