/** A workbook's sheets -> Markdown, one section each. */
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { escapeInline, escapeText } from '../../markdown/write.ts';
import { blocksOf, visibleCells } from './blocks.ts';
import type { Sheet, Workbook } from './sheet.ts';
import { TableWriter } from './table.ts';
import { warningsOf } from './warnings.ts';

/**
 * A section for each sheet that is not empty: its tables in order, the texts of its drawings, and its comments as
 * footnotes. The Markdown is empty where all sheets are.
 * @throws SourceError `extraction_limit`
 */
export function workbookToMarkdown(workbook: Workbook, limits: Limits): Reading {
  const notes: string[] = [];
  const writer = new TableWriter(limits, (comments) => comments.map((text) => `[^${notes.push(text)}]`).join(''));
  const sections: string[] = [];
  for (const sheet of workbook.sheets) {
    const before = notes.length;
    const blocks = blocksOf(visibleCells(sheet)).flatMap((block) => writer.write(block));
    const footnotes = notes.slice(before).map((text, at) => footnote(before + at + 1, text));
    const content = [...blocks, ...drawn(sheet), ...footnotes];
    if (content.length === 0) continue;
    sections.push([`## ${escapeInline(sheet.name.replace(/\s+/g, ' ').trim())}`, ...content].join('\n\n'));
  }
  const heading = workbook.title === null || sections.length === 0 ? '' : `# ${escapeInline(workbook.title)}\n\n`;
  const starts: number[] = [];
  let end = heading.length;
  for (const section of sections) {
    starts.push(end);
    end += section.length + 2;
  }
  return {
    markdown: heading + sections.join('\n\n'),
    title: workbook.title,
    languageHint: null,
    about: { author: workbook.author, publishedAt: workbook.changedAt },
    parts: { unit: 'sheet', starts },
    warnings: warningsOf(workbook),
  };
}

function drawn({ drawings }: Sheet): string[] {
  const titles = drawings.chartTitles.filter((title) => title !== '');
  // Price lists often have a picture with the same description in each row.
  const images = [...new Set(drawings.imageTexts)].filter((text) => text !== '');
  return [
    ...titles.map((title) => `Chart: ${escapeInline(title)}`),
    ...drawings.texts.map((text) => escapeText(text)),
    ...images.map((text) => `Image: ${escapeInline(text)}`),
  ];
}

function footnote(number: number, text: string): string {
  return `[^${number}]: ${escapeInline(text.trim().replace(/(?<!\s)\s*\n\s*/g, ' '))}`;
}
