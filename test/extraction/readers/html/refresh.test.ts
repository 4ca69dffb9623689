import { refreshTarget } from '../../../../extraction/readers/html/refresh.ts';

const url = 'https://example.com/old/page';
const of = (html: string, contentType: string | null = 'text/html') =>
  refreshTarget({ body: new TextEncoder().encode(html), contentType, url });

test.each([
  ['<meta http-equiv="refresh" content="0; url=/new">', 'https://example.com/new'],
  ["<META HTTP-EQUIV=Refresh CONTENT='3;URL=next.html#part'>Moved, click here.", 'https://example.com/old/next.html'],
  [
    '<meta content="0;url=\'https://other.example/?a=1&amp;b=2\'" http-equiv="refresh">',
    'https://other.example/?a=1&b=2',
  ],
])('%s redirects', (html, target) => {
  expect(of(html)).toBe(target);
});

test.each([
  ['a page to read', `<meta http-equiv="refresh" content="0; url=/new"><p>${'Words. '.repeat(100)}</p>`],
  ['a page that reloads itself', '<meta http-equiv="refresh" content="5">'],
  ['one that names itself', '<meta http-equiv="refresh" content="0; url=/old/page#x">'],
  ['a long wait', '<meta http-equiv="refresh" content="600; url=/new">'],
  ['what only browsers without scripts do', '<noscript><meta http-equiv="refresh" content="0; url=/new"></noscript>'],
  ['a comment', '<!-- <meta http-equiv="refresh" content="0; url=/new"> -->'],
  ['another scheme', '<meta http-equiv="refresh" content="0; url=javascript:alert(1)">'],
])('%s does not redirect', (_, html) => {
  expect(of(html)).toBeNull();
});

test('only HTML redirects', () => {
  expect(of('<meta http-equiv="refresh" content="0; url=/new">', 'text/plain')).toBeNull();
});
