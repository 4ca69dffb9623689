import { defaultLimits } from '../../../../extraction/limits.ts';
import { readPage } from '../../../../extraction/readers/html/page.ts';

const filler =
  'This paragraph has enough words, commas, and sentences that a reader view keeps it. It says little else, though. ';
const read = (article: string, head = '') =>
  readPage(
    `<html><head><title>Subject</title>${head}</head><body><article><h1>Subject</h1><p>${filler}</p><p>${filler}</p>${article}<p>${filler}</p></article></body></html>`,
    'https://example.com/a/b',
    defaultLimits,
  );

test('a cell that spans rows and columns occurs once, and a warning counts such cells', () => {
  const { markdown, warnings } = read(
    '<table><tr><th>Zone</th><th colspan="2">Price</th></tr><tr><td rowspan="2">A</td><td>first</td><td>60</td></tr><tr><td>second</td><td>95</td></tr></table>',
  );
  expect(markdown).toContain('| Zone | Price |  |\n| --- | --- | --- |\n| A | first | 60 |\n|  | second | 95 |');
  expect(warnings).toEqual([
    expect.objectContaining({ code: 'merged_cells', message: expect.stringMatching(/^2 cells/) }),
  ]);
});

test('footnotes are at the end, with the numbers of their references', () => {
  const { markdown } = read(
    '<p>One<sup><a href="#n2" id="r2">2</a></sup> and two<a href="#n1" role="doc-noteref">*</a>.</p><section class="footnotes"><h2>Notes</h2><ol><li id="n1"><p>The <a href="/x">other</a>. <a href="#r1">↩</a></p></li><li id="n2">The first.</li></ol></section>',
  );
  expect(markdown).toContain('One[^1] and two[^2].');
  expect(markdown).toMatch(/\[\^1\]: The first\.\n\n\[\^2\]: The \[other\]\(https:\/\/example\.com\/x\)\.$/);
  expect(markdown).not.toContain('## Notes');
});

test.each([
  ['<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math>', '$\\frac{a}{b^{2}}$'],
  ['<math><msqrt><mi>x</mi></msqrt><mo>≤</mo><mi>sin</mi><mi>α</mi></math>', '$\\sqrt{x} \\le \\sin \\alpha$'],
  [
    '<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover></math>',
    '$\\sum_{i = 1}^{n}$',
  ],
  [
    '<span class="katex"><span class="katex-mathml"><math><semantics><mi>q</mi><annotation encoding="application/x-tex">q_{1}^*</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">q1</span></span>',
    '$q_{1}^*$',
  ],
  ['<script type="math/tex">e^{i\\pi}</script>', '$e^{i\\pi}$'],
])('the formula %s', (html, tex) => {
  expect(read(`<p>Let ${html} be.</p>`).markdown).toContain(`Let ${tex} be.`);
});

test('TeX in the text of a page with a TeX script is a formula', () => {
  const { markdown } = read(
    '<p>Where \\(x_1 < y\\) holds:</p><p>\\[ a^2 \\]</p>',
    '<script src="/mathjax/tex.js"></script>',
  );
  expect(markdown).toContain('Where $x_1 < y$ holds:\n\n$$\na^2\n$$');
});

test.each([
  ['<pre><code class="hljs language-rust">fn a() {}</code></pre>', 'rust', 'fn a() {}'],
  [
    '<pre class="shiki" data-language="ts"><code><span class="line">a</span>\n<span class="line">b</span></code></pre>',
    'ts',
    'a\nb',
  ],
  ['<div class="language-go"><span class="lang">go</span><pre><code>x</code></pre></div>', 'go', 'x'],
  [
    '<pre class="prism-code language-js"><code><span class="token-line">a<br></span><span class="token-line">b<br></span></code></pre>',
    'js',
    'a\nb',
  ],
  [
    '<pre><code><span class="line">a</span><span class="line"></span><span class="line">b</span></code></pre>',
    '',
    'a\n\nb',
  ],
  ['<pre><code>a = 1</code><code>b = 2</code></pre>', '', 'a = 1\nb = 2'],
  ['<pre><span style="display: block">a</span><span style="display: block">  b</span></pre>', '', 'a\n  b'],
  ['<pre><span data-line="1">a</span> <span data-line="2">b</span></pre>', '', 'a\n b'],
  ['<pre>a<div>b</div>c</pre>', '', 'a\nb\nc'],
  ['<pre><code><span class="k">let</span><span class="v">x</span></code></pre>', '', 'letx'],
  ['<pre><code class="python">a\n\n\n\nb</code></pre>', 'python', 'a\n\n\n\nb'],
])('code of %s', (html, language, code) => {
  expect(read(html).markdown).toContain(`\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n`);
});

test('definitions, figures, details, subscripts and superscripts are kept', () => {
  const { markdown } = read(
    '<dl><dt>Term</dt><dd>What it means.</dd></dl><figure><img src="i.png" alt="A pot"><figcaption>The pot.</figcaption></figure><details><summary>More</summary><p>Hidden until asked for.</p></details><p>10 m<sup>2</sup> on the 1<sup>st</sup>, H<sub>2</sub>O</p>',
  );
  expect(markdown).toContain('**Term**\nWhat it means.');
  expect(markdown).toContain('![A pot](https://example.com/a/i.png)\n\nThe pot.');
  expect(markdown).toContain('**More**\n\nHidden until asked for.');
  expect(markdown).toContain('10 m<sup>2</sup> on the 1st, H<sub>2</sub>O');
});

test('a lazy-loaded image has its URL, images without a description are counted', () => {
  const { markdown, warnings } = read(
    '<p><img src="data:image/gif;base64,R0" data-src="/l.jpg" alt="Late"> <img alt="Sized" srcset="/s.jpg 400w, /m.jpg 800w"> <img src="/none.jpg"></p>',
  );
  expect(markdown).toContain('![Late](https://example.com/l.jpg) ![Sized](https://example.com/m.jpg)');
  expect(warnings).toEqual([expect.objectContaining({ code: 'images_without_text' })]);
});

test('the heading in the title is chosen, not the site name', () => {
  const { title } = readPage(
    `<html><head><title>Podcasts in Plex « Fehlfunktion</title></head><body><h1>Fehlfunktion</h1><h2>Podcasts in Plex</h2><p>${filler.repeat(3)}</p></body></html>`,
    null,
    defaultLimits,
  );
  expect(title).toBe('Podcasts in Plex');
});

test('a heading below an image that repeats the title is removed', () => {
  const { markdown } = readPage(
    `<html><head><title>Kettle</title></head><body><main><img src="/k.jpg" alt="A kettle"><h1>Kettle</h1><p>${filler.repeat(3)}</p></main></body></html>`,
    'https://example.com/',
    defaultLimits,
  );
  expect(markdown.match(/# Kettle/g)).toHaveLength(1);
});

test('file names of images are not descriptions, and icon font glyphs are not letters', () => {
  const { markdown } = read(
    '<p>See <img src="/a.png" alt="Photo 3.PNG"> and <img src="/b.png" alt="a map"> <b>\ue123</b>here.</p>',
  );
  expect(markdown).toMatch(/See +and !\[a map\]\(https:\/\/example\.com\/b\.png\) here\./);
});
