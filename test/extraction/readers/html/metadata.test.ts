import { isoDateOf } from '../../../../extraction/readers/html/date.ts';
import { parseDocument } from '../../../../extraction/readers/html/dom.ts';
import { metadataOf } from '../../../../extraction/readers/html/metadata.ts';

const url = 'https://example.com/news/1?utm=x';
const of = (head: string, body = '', linkedData: string[] = []) =>
  metadataOf(parseDocument(`<html lang="fr"><head>${head}</head><body>${body}</body></html>`), url, linkedData);

test('Open Graph and meta elements', () => {
  const { about, title, languageHint } = of(
    '<meta property="og:title" content="A &amp; B"><meta property="og:site_name" content="Site"><meta name="author" content="By Ann Lee"><meta property="article:published_time" content="2024-02-03T04:05:06Z"><link rel="canonical" href="/news/1">',
  );
  expect({ title, languageHint }).toEqual({ title: 'A & B', languageHint: 'fr' });
  expect(about).toEqual({
    author: 'Ann Lee',
    publishedAt: '2024-02-03T04:05:06Z',
    siteName: 'Site',
    canonicalUrl: 'https://example.com/news/1',
  });
});

test('JSON-LD, with things that refer to each other', () => {
  const graph = [
    {
      '@type': 'NewsArticle',
      headline: 'H',
      author: [{ '@id': '#a' }, { name: 'Bo' }],
      publisher: { '@id': '#p' },
      datePublished: '2020-01-02',
    },
    { '@type': 'Person', '@id': '#a', name: 'Ann' },
    { '@type': 'Organization', '@id': '#p', name: 'The Paper' },
  ];
  const { about, title } = of('', '', ['no json', JSON.stringify({ '@graph': graph })]);
  expect(title).toBe('H');
  expect(about).toMatchObject({ author: 'Ann, Bo', publishedAt: '2020-01-02', siteName: 'The Paper' });
});

test('microdata, a byline and a time', () => {
  const body =
    '<article><span itemprop="author"><b itemprop="name">Ida</b></span><time datetime="2021-03-04">4 March</time></article>';
  expect(of('', body).about).toMatchObject({ author: 'Ida', publishedAt: '2021-03-04' });
  expect(of('', '<p class="byline">By Ole Olsen | May 2020</p>').about.author).toBe('Ole Olsen');
});

test('a date and a name near the heading', () => {
  const body =
    '<h1>Title</h1><div class="meta"><span class="article__date">Mittwoch, 6. Mai 2014</span> <a href="/autoren/ida-ohm/" class="x">von Ida Ohm</a></div>';
  expect(of('', body).about).toMatchObject({ author: 'Ida Ohm', publishedAt: '2014-05-06' });
  expect(of('', '<h1>Title</h1><div class="updated-date">6.5.2014</div>').about.publishedAt).toBeNull();
});

test('a byline takes precedence over a publisher in the author field', () => {
  const data = JSON.stringify({ '@type': 'NewsArticle', author: { name: 'paper.example' } });
  expect(of('', '<h1>T</h1><p class="byline">Ann Lee</p>', [data]).about.author).toBe('Ann Lee');
  expect(of('', '<h1>T</h1>', [data]).about.author).toBe('paper.example');
});

test.each(['javascript:alert(1)', 'ftp://example.com/x', 'data:text/plain,x', 'http://'])(
  '%s is no canonical address',
  (href) => {
    expect(of(`<link rel="canonical" href="${href}">`).about.canonicalUrl).toBeNull();
  },
);

test.each([
  ['2024-03-05', '2024-03-05'],
  ['2024-03-05T10:20:30.5+0100', '2024-03-05T10:20:30+01:00'],
  ['2024/3/5 08:09', '2024-03-05T08:09:00'],
  ['March 5, 2024', '2024-03-05'],
  ['Tue, 05 Mar 2024 10:00:00 GMT', '2024-03-05T10:00:00Z'],
  ['2024年3月5日', '2024-03-05'],
  ['05.03.2024, 8:09 Uhr', '2024-03-05T08:09:00'],
  ['5 de marzo de 2024', '2024-03-05'],
  ['1er août 2024', '2024-08-01'],
  ['3. Dez. 2024', '2024-12-03'],
  ['20240305', '2024-03-05'],
  ['2024-02-31', null],
  ['03/04/2024', null],
  ['yesterday', null],
])('the date %s', (text, iso) => {
  expect(isoDateOf(text)).toBe(iso);
});
