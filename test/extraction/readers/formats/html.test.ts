import { defaultLimits } from '../../../../extraction/limits.ts';
import { readPage as read } from '../../../../extraction/readers/html/page.ts';
import { processorMs } from '../../processor-time.ts';

const htmlToMarkdown = (text: string, url: string | null) => read(text, url, defaultLimits);

const url = 'https://example.com/docs/guide/page.html';
const filler =
  'This paragraph has enough words, commas, and sentences that a reader view keeps it. It says little else, though. ';
const page = (
  article: string,
  head = '<title>Boiling water | Example</title>',
) => `<!doctype html><html lang="en-GB"><head>${head}</head><body>
<header><nav><ul><li><a href="/">Home page link</a></li><li><a href="/pricing">Pricing link</a></li></ul></nav></header>
<main><article><h1>Boiling water</h1><p>${filler}</p><p>${filler}</p>${article}</article></main>
<aside>Related articles</aside><footer>Copyright by nobody</footer><script>alert(1)</script></body></html>`;
const convert = (article: string) => htmlToMarkdown(page(article), url).markdown;

test('the main content, title and language are kept; surrounding content is removed', () => {
  const { markdown, title, languageHint } = htmlToMarkdown(page('<p>The end.</p>'), url);
  expect(title).toBe('Boiling water');
  expect(languageHint).toBe('en-GB');
  expect(markdown).toBe(`# Boiling water\n\n${filler.trim()}\n\n${filler.trim()}\n\nThe end.`);
});

test('links and images are resolved against the URL or the base of the page', () => {
  const article =
    '<p>See <a href="../api#x">the API</a>, <a href="javascript:void(0)">click</a> <img src="i.png" alt="A pot"></p>';
  expect(convert(article)).toContain(
    'See [the API](https://example.com/docs/api#x), click ![A pot](https://example.com/docs/guide/i.png)',
  );
  const based = htmlToMarkdown(page(article, '<base href="https://cdn.example/b/">'), url).markdown;
  expect(based).toContain('[the API](https://cdn.example/api#x)');
  expect(htmlToMarkdown(page(article), null).markdown).toContain('[the API](../api#x)');
});

test.each([
  ['<pre><code class="language-js">let a = 1;\n</code></pre>', '```js\nlet a = 1;\n```'],
  [
    '<div class="highlight highlight-source-python"><pre><span>def</span> f(_x_):\n    return *y\n</pre></div>',
    '```python\ndef f(_x_):\n    return *y\n```',
  ],
  ['<div class="language-bash highlighter-rouge"><div class="highlight"><pre>ls</pre></div></div>', '```bash\nls\n```'],
  ['<pre class="brush: php; gutter: false">echo 1;</pre>', '```php\necho 1;\n```'],
  ['<pre>```\nfence\n```</pre>', '````\n```\nfence\n```\n````'],
  [
    '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
    '```\na\nb\n```',
  ],
])('code %s', (html, markdown) => {
  expect(convert(`${html}<p>${filler}</p>`)).toContain(`\n\n${markdown}\n\n`);
});

test('tables stay tables, with pipes, lines and spans', () => {
  const table =
    '<table><thead><tr><th>Name</th><th>a | b</th></tr></thead><tbody><tr><td>x<br>y</td><td><code>c</code></td></tr><tr><td colspan="2">both</td></tr></tbody></table>';
  expect(convert(table)).toContain('| Name | a \\| b |\n| --- | --- |\n| x<br>y | `c` |\n| both |  |');
  const bare = '<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>';
  expect(convert(bare)).toContain('|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |');
});

test('a layout table becomes its text', () => {
  expect(htmlToMarkdown('<table><tr><td><p>One</p></td></tr><tr><td><p>Two</p></td></tr></table>', null).markdown).toBe(
    'One\n\nTwo',
  );
});

test('lists are nested, numbered from their start, and keep their checkboxes', () => {
  expect(convert('<ul><li>one<ul><li>nested</li></ul></li><li>two</li></ul>')).toContain('- one\n  - nested\n- two');
  expect(convert('<ol start="9"><li>nine</li><li>ten</li></ol>')).toContain('9. nine\n10. ten');
  expect(
    convert('<ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>'),
  ).toContain('- [x] done\n- [ ] open');
});

test('text that looks like Markdown or HTML is escaped, names keep their underscores', () => {
  expect(
    convert('<p>A &lt;tag&gt; &amp;amp; snake_case_name, *not bold*.</p><p># no heading</p><p>1. no list</p>'),
  ).toContain('A \\<tag> \\&amp; snake_case_name, \\*not bold\\*.\n\n\\# no heading\n\n1\\. no list');
});

test('headings lose their anchors, formulas keep their TeX', () => {
  expect(
    convert(
      '<h2>Heat<a class="headerlink" href="#heat">¶</a></h2><h3><a href="#deep">Deep <i>down</i></a></h3><p>Now <math alttext="x^2"><mi>x</mi></math>.</p>',
    ),
  ).toContain('## Heat\n\n### Deep *down*\n\nNow $x^2$.');
});

test('a page without an article yields its whole body', () => {
  const list =
    '<html><body><nav><a href="/x">Menu</a></nav><ul><li><a href="/1">First entry</a></li><li><a href="/2">Second entry</a></li></ul></body></html>';
  expect(htmlToMarkdown(list, 'https://example.com/').markdown).toBe(
    '- [First entry](https://example.com/1)\n- [Second entry](https://example.com/2)',
  );
  expect(htmlToMarkdown('<body><nav>Only a menu</nav></body>', null).markdown).toBe('Only a menu');
});

test.each([
  ['divs', '<div>'],
  ['bold', '<b>'],
  ['lists', '<ul><li>'],
  ['quotes', '<blockquote>'],
  ['tables', '<table><tr><td>'],
])('100,000 unclosed %s neither hang nor lose the text', (_, tags) => {
  let text = '';
  const ms = processorMs(() => {
    text = htmlToMarkdown(`${tags.repeat(100_000 / (tags.split('<').length - 1))}the text`, null).markdown;
  });
  expect(text).toContain('the text');
  expect(ms).toBeLessThan(10_000);
});

test('a page above the node limit ends as extraction_limit', () => {
  expect(() => htmlToMarkdown('<i>'.repeat(10) + '<br>'.repeat(1_000_001), null)).toThrow(
    expect.objectContaining({ code: 'extraction_limit' }),
  );
});
