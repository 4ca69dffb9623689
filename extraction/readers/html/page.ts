/** A whole web page -> Markdown of its main content, and what the page says of itself. */
import type { ReadingWarning } from '../../../contract/extraction.ts';
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { resolveAddresses } from './addresses.ts';
import { prepareBlocks } from './blocks.ts';
import { type BoundedPage, boundedHtml, boundedPage } from './bounded.ts';
import { type DomDocument, type DomElement, lineOf, parseDocument } from './dom.ts';
import { escapeHtml } from './escape.ts';
import { giveBackFootnotes, holdFootnotes, takeFootnotes } from './footnotes.ts';
import { prepareTexInText } from './formulas.ts';
import { mainContent } from './main.ts';
import { describes, turndown } from './markdown.ts';
import { metadataOf, type PageMetadata } from './metadata.ts';
import { assertContent, mostOfObstacle } from './obstacle.ts';
import { htmlOfState } from './state.ts';
import { mergedCellsIn } from './table.ts';
import { comparable, titleOf, withTitle } from './title.ts';

/** Letters below which a page has not shown its content yet. */
const fewLetters = 250;

/**
 * The main content of the page, links absolute where `url` (or the page's base) allows, its title as first heading. Of a
 * page that scripts would fill, what its data holds. @throws SourceError `extraction_limit` for a page of too many nodes,
 * `fetch_http_status` or `content_empty` for one that stands in the way of content
 */
export function readPage(text: string, url: string | null, limits: Limits): Reading {
  const page = boundedPage(text, limits);
  const document = parseDocument(page.html);
  const metadata = metadataOf(document, url, page.linkedData);
  const title = titleOf(document, metadata, url);
  const usesTex = /mathjax|katex/i.test(text);

  let content = contentOf(document, { url, metadata, usesTex });
  let shown = lineOf(content);
  const warnings: ReadingWarning[] = [];
  const data = shown.length < fewLetters ? hiddenContent(page, metadata, limits) : fullerArticle(shown, metadata);
  if (data !== null) {
    const drawn = contentOf(parseDocument(data), { url, metadata, usesTex });
    if (lineOf(drawn).length > Math.max(fewLetters, shown.length)) {
      content = drawn;
      shown = lineOf(drawn);
      warnings.push({
        code: 'read_from_page_data',
        message: 'The page shows its text by scripts; it was read from the data that they use.',
      });
    }
  }
  if (shown.length < mostOfObstacle) {
    assertContent({ document: parseDocument(page.html), title, text: shown, scripts: page.scripts });
  }
  if (title !== null) removeRepeatedTitle(content, title);
  warnings.push(...warningsOf(content));
  const markdown = turndown(content).trim();
  return {
    markdown: withTitle(markdown, title),
    title,
    languageHint: metadata.languageHint,
    about: metadata.about,
    warnings,
  };
}

function contentOf(
  document: DomDocument,
  told: { url: string | null; metadata: PageMetadata; usesTex: boolean },
): DomElement {
  const notes = takeFootnotes(document);
  prepareBlocks(document);
  if (told.usesTex) prepareTexInText(document);
  resolveAddresses(document, told.url);
  holdFootnotes(document);
  const content = mainContent(document, { url: told.url, types: told.metadata.types });
  giveBackFootnotes(document, content, notes);
  return content;
}

/** HTML of what an empty page would show: its article as JSON-LD has it, else the prose of its state. */
function hiddenContent(page: BoundedPage, { articleBody }: PageMetadata, limits: Limits): string | null {
  const html = articleBody === null ? htmlOfState(page.state) : paragraphs(articleBody);
  return html === '' ? null : boundedHtml(`<html><body><main>${html}</main></body></html>`, limits);
}

/** The article of the JSON-LD, where the page shows only how it begins. */
function fullerArticle(shown: string, { articleBody }: PageMetadata): string | null {
  if (articleBody === null || articleBody.length < shown.length * 2) return null;
  return `<html><body><main>${paragraphs(articleBody)}</main></body></html>`;
}

function paragraphs(text: string): string {
  const plain = text.replace(/<br\s*\/?>|<\/p>/gi, '\n\n').replace(/<[^>]{0,500}>/g, '');
  return plain
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => `<p>${escapeHtml(line.trim())}</p>`)
    .join('\n');
}

/** The title becomes the first heading, so that it stands nowhere else; a heading that is the first already stays. */
function removeRepeatedTitle(content: DomElement, title: string): void {
  const name = comparable(title);
  const same = Array.from(content.querySelectorAll('h1, h2, h3')).filter((heading) => {
    const text = comparable(lineOf(heading));
    // "Crash on start #52" below the title "Crash on start".
    return text === name || (text.startsWith(`${name} `) && text.length < name.length + 8 && /\d$/.test(text));
  });
  const isFirst = comparable(lineOf(content).slice(0, title.length + 20)).startsWith(name);
  const [first] = same;
  const stays =
    isFirst &&
    first === content.querySelector('h1, h2, h3, img') &&
    comparable(lineOf(first)) === name &&
    first?.querySelector('a') === null;
  for (const heading of stays ? same.slice(1) : same) heading.remove();
}

function warningsOf(content: DomElement): ReadingWarning[] {
  const warnings: ReadingWarning[] = [];
  const merged = mergedCellsIn(content);
  if (merged > 0) {
    const message = `${merged} ${merged === 1 ? 'cell of a table goes' : 'cells of tables go'} over several rows or columns; the text stands in the first, the others are empty.`;
    warnings.push({ code: 'merged_cells', message });
  }
  const images = Array.from(content.querySelectorAll('img')).filter(
    (image) => !describes((image.getAttribute('alt') ?? '').trim()),
  ).length;
  if (images > 0) {
    const message = `${images} ${images === 1 ? 'image' : 'images'} without a description ${images === 1 ? 'was' : 'were'} left out.`;
    warnings.push({ code: 'images_without_text', message });
  }
  return warnings;
}
