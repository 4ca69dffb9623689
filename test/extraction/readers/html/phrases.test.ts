import { anyOf, beginningWith, mentioning } from '../../../../extraction/readers/html/phrases/pattern.ts';

describe('patterns of phrases', () => {
  const isAll = (phrase: string, text: string) => new RegExp(`^${anyOf([phrase])}$`, 'iu').test(text);

  it('match one alternative of a group, and optional parts', () => {
    for (const text of ['sign in', 'Sign-in', 'signin', 'log in']) expect(isAll('(log|sign)( |-)?in', text)).toBe(true);
    expect(isAll('(log|sign)( |-)?in', 'sign  in')).toBe(false);
  });

  it('match both apostrophes and word endings', () => {
    expect(isAll("you're", 'you’re')).toBe(true);
    expect(isAll('onetrust*', 'onetrust')).toBe(true);
    expect(isAll('onetrust*', 'onetrustbanner')).toBe(true);
    expect(isAll('onetrust*', 'onetrust banner')).toBe(false);
  });

  it('match all other characters literally', () => {
    expect(isAll('viewtopic.php [a-z] {2} + $', 'viewtopic.php [a-z] {2} + $')).toBe(true);
    expect(isAll('viewtopic.php', 'viewtopic-php')).toBe(false);
  });

  it('match whole words, word beginnings and parts of words', () => {
    const pattern = mentioning({ words: { en: ['app'] }, beginnings: { en: ['subscri'] }, parts: { de: ['seite'] } });
    for (const text of ['an app', 'subscribers', 'Webseiten']) expect(pattern.test(text)).toBe(true);
    for (const text of ['WhatsApp', 'apple', 'unsubscribe']) expect(pattern.test(text)).toBe(false);
  });

  it('match beginnings after punctuation', () => {
    const pattern = beginningWith({ en: ['just a moment'] });
    expect(pattern.test('… Just a moment please')).toBe(true);
    expect(pattern.test('Wait just a moment')).toBe(false);
  });
});
