/** Hostile documents: deeply nested, repeated and unclosed structures. */
import { fileCase, type HostileCase } from './case.ts';
import {
  chapterOf,
  docxOf,
  epubOf,
  odfOf,
  openDocumentOf,
  pptxOf,
  slideOf,
  wordBegin,
  wordEnd,
  wordParagraph,
} from './office.ts';

const LEVELS = 100_000;

/** Returns `begin` repeated, `core`, and `end` repeated as often. */
const nested = (begin: string, core: string, end: string, levels = LEVELS) =>
  begin.repeat(levels) + core + end.repeat(levels);

function nestedMail(levels: number): string {
  let mail = '';
  for (let level = 0; level < levels; level += 1) {
    mail += `From: a@mail.example\nSubject: Level ${level}\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n`;
  }
  return `${mail}From: a@mail.example\nSubject: Inmost\n\nHello.\n`;
}

function nestedMultipart(levels: number): string {
  let mail = 'From: a@mail.example\nSubject: Parts\nMIME-Version: 1.0\n';
  for (let level = 0; level < levels; level += 1) {
    mail += `Content-Type: multipart/mixed; boundary="b${level}"\n\n--b${level}\n`;
  }
  return `${mail}Content-Type: text/plain\n\nHello.\n`;
}

export const nesting: readonly HostileCase[] = [
  fileCase('100,000 levels of HTML', 'a.html', () => nested('<div>', 'Hello', '</div>'), 'read'),
  fileCase('100,000 levels of HTML lists', 'a.html', () => nested('<ul><li>', 'Hello', '</li></ul>'), [
    'read',
    'extraction_limit',
  ]),
  fileCase('5,000 nested tables', 'a.html', () => nested('<table><tr><td>', 'Hello', '</td></tr></table>', 5_000), [
    'read',
    'extraction_limit',
  ]),
  fileCase('80,000 unclosed tags', 'a.html', () => `<b><i><a href=x>x`.repeat(80_000), ['read', 'extraction_limit']),
  fileCase('80,000 unclosed paragraphs and blocks', 'a.html', () => '<p><div><font>x'.repeat(80_000), [
    'read',
    'extraction_limit',
  ]),
  fileCase('an attribute of 10 MB', 'a.html', () => `<p title="${'a'.repeat(10_000_000)}">Hello</p>`, 'read'),
  fileCase('100,000 levels of XML', 'a.xml', () => `<?xml version="1.0"?>${nested('<a>', 'Hello', '</a>')}`, [
    'read',
    'extraction_limit',
  ]),
  fileCase(
    '100,000 levels of XML in a DOCX',
    'a.docx',
    () => docxOf(wordBegin + nested('<w:sdt>', wordParagraph('Hello'), '</w:sdt>') + wordEnd),
    'extraction_limit',
  ),
  fileCase(
    '100,000 levels of XML in a PPTX',
    'a.pptx',
    () => pptxOf(slideOf(nested('<p:grpSp>', '', '</p:grpSp>'))),
    'extraction_limit',
  ),
  fileCase(
    '100,000 levels of XML in an ODT',
    'a.odt',
    () => odfOf('text', openDocumentOf('text', nested('<text:section>', '<text:p>Hello</text:p>', '</text:section>'))),
    'extraction_limit',
  ),
  fileCase(
    '100,000 levels of HTML in an EPUB',
    'a.epub',
    () => epubOf([chapterOf(nested('<div>', 'Hello', '</div>'))]),
    ['read', 'extraction_limit'],
  ),
  fileCase('100,000 levels of JSON lists', 'a.json', () => nested('[', '1', ']'), [
    'read',
    'extraction_limit',
    'file_damaged',
  ]),
  fileCase('100,000 levels of JSON objects', 'a.json', () => nested('{"a":', '1', '}'), [
    'read',
    'extraction_limit',
    'file_damaged',
  ]),
  fileCase('100,000 levels of YAML lists', 'a.yaml', () => nested('[', '1', ']'), [
    'read',
    'extraction_limit',
    'file_damaged',
  ]),
  fileCase(
    '5,000 levels of YAML by indent',
    'a.yaml',
    () => Array.from({ length: 5_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    ['read', 'extraction_limit', 'file_damaged'],
  ),
  fileCase(
    'YAML aliases that double thirty times',
    'a.yaml',
    () =>
      `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join('\n')}\n`,
    ['read', 'extraction_limit', 'file_damaged'],
  ),
  fileCase('100,000 levels of quotes in Markdown', 'a.md', () => `${'> '.repeat(LEVELS)}Hello\n`, [
    'read',
    'extraction_limit',
  ]),
  fileCase(
    '10,000 levels of lists in Markdown',
    'a.md',
    () => Array.from({ length: 10_000 }, (_, at) => `${' '.repeat(2 * at)}- a`).join('\n'),
    // 100 MB of text: the memory limit may be reached before the count limit.
    ['extraction_limit', 'extraction_memory'],
  ),
  fileCase('100,000 opened brackets in Markdown', 'a.md', () => `# T\n\n${'['.repeat(LEVELS)}`, [
    'read',
    'extraction_limit',
  ]),
  fileCase('100,000 emphasis marks in Markdown', 'a.md', () => `# T\n\n${'*a **b '.repeat(LEVELS / 2)}`, [
    'read',
    'extraction_limit',
  ]),
  fileCase('100,000 underscores in a text', 'a.txt', () => '_'.repeat(LEVELS), ['read', 'extraction_limit']),
  fileCase('40,000 fences that open in a text', 'a.txt', () => '```x\n'.repeat(40_000), ['read', 'extraction_limit']),
  fileCase('a line of 20 million characters', 'a.txt', () => 'a'.repeat(20_000_000), ['read', 'extraction_limit']),
  fileCase('20 MB of spaces and one word', 'a.txt', () => `${' '.repeat(20_000_000)}a`, ['read']),
  fileCase('100,000 levels of groups in RTF', 'a.rtf', () => `{\\rtf1 ${nested('{', 'Hello', '}')}}`, [
    'read',
    'extraction_limit',
  ]),
  fileCase('5 million groups of RTF that never end', 'a.rtf', () => `{\\rtf1 ${'{\\b a'.repeat(1_000_000)}`, [
    'read',
    'extraction_limit',
    'file_damaged',
  ]),
  fileCase('a mail within a mail, 1,000 deep', 'a.eml', () => nestedMail(1_000), ['read', 'extraction_limit']),
  fileCase('parts of a mail, 1,000 deep', 'a.eml', () => nestedMultipart(1_000), [
    'read',
    'extraction_limit',
    'content_empty',
  ]),
];
