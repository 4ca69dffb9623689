/** Pages with very many elements of one kind are read in linear time. */

import { defaultLimits } from '../../../../extraction/limits.ts';
import { readPage } from '../../../../extraction/readers/html/page.ts';
import { expectLinear } from '../../processor-time.ts';

const prose = `<p>${'A paragraph of prose, long enough to be taken for the text of the page, with commas. '.repeat(40)}</p>`;
const mathjax = '<script src="mathjax.js"></script>';

const many = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join('');

/** Adds prose, so that the page counts as content. */
const shapes: [string, (count: number) => string][] = [
  [
    'rows of a table of links and facts',
    (n) => `<table>${many(n, (at) => `<tr><td><a href="/${at}">file</a></td><td>${at} bytes of it</td></tr>`)}</table>`,
  ],
  [
    'links that look like buttons',
    (n) => `<div>${many(n, (at) => `<a class="btn" href="/${at}">go</a> words of prose `)}</div>`,
  ],
  ['buttons', (n) => `<div>${'<button>b</button> text '.repeat(n * 4)}</div>`],
  [
    'lists of cards',
    (n) =>
      `<div>${many(n / 3, (at) => `<ul>${`<li><h3><a href="/${at}">Heading of card number ${at}</a></h3></li>`.repeat(3)}</ul>`)}${prose.repeat(n / 80)}</div>`,
  ],
  [
    'footnotes of one list',
    (n) =>
      `${many(n, (at) => `word <sup><a href="#n${at}">${at}</a></sup> `)}<ol>${many(n, (at) => `<li id="n${at}">Note.</li>`)}</ol>`,
  ],
  [
    'footnotes among the words',
    (n) =>
      `<div>${many(n, (at) => `word <sup><a href="#n${at}">${at}</a></sup> <span id="n${at}">Note</span> words.`)}</div>`,
  ],
  ['headings that announce other pages', (n) => '<h3>Related articles</h3>'.repeat(n)],
  ['formulas in lines of a text', (n) => `${mathjax}<p>${many(n, (at) => `a \\(x_${at}\\) b<br>`)}</p>`],
  ['formulas that are not closed', (n) => `${mathjax}<p>${'\\('.repeat(n * 10)}</p>`],
  ['formulas of one element', (n) => `<div class="MathJax">${'<math><mi>x</mi></math> '.repeat(n)}</div>`],
  ['dollars in a formula', (n) => `<math alttext="a${'$'.repeat(n * 40)}b"></math>`],
  ['spaces in code', (n) => `<pre>a${' '.repeat(n * 20)}b</pre>`],
  ['spaces that do not break', (n) => `<p>a${'&nbsp;'.repeat(n * 20)}b</p>`],
  ['such spaces in a link', (n) => `<p><a href="/x">a${'&nbsp;'.repeat(n * 20)}b</a></p>`],
];

test.each(shapes)('%s', (_, write) => {
  const read = (count: number) => readPage(`<body><main>${prose}${write(count)}</main></body>`, null, defaultLimits);
  read(100);
  expectLinear(read, 1_000);
});

test('spaces within code are kept, however many', () => {
  const code = `a${' '.repeat(300)}b\n${'\n'.repeat(100)}c`;
  const { markdown } = readPage(`<body><main>${prose}<pre>${code}</pre></main></body>`, null, defaultLimits);
  expect(markdown).toContain(`\`\`\`\n${code}\n\`\`\``);
});
