/** XML of any vocabulary: documents as text, data as labelled values and tables. */
import { SourceError } from '../../../contract/errors.ts';
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { fenced } from '../../markdown/write.ts';
import { documentToMarkdown } from '../markup/document.ts';
import { atom } from './atom.ts';
import type { TextFormat } from './format.ts';
import { rss } from './rss.ts';
import { svg } from './svg.ts';

export const xml: TextFormat = {
  kind: 'text',
  name: 'xml',
  label: 'an XML document',
  mediaTypes: ['application/xml', 'text/xml'],
  extensions: ['xml'],
  parser: 'saxes',
  emptyMessage: 'The XML has no text.',
  detect: ({ text }) => (/^\s*<\?xml\s/.test(text) ? 'sure' : null),
  subformats: [rss, atom, svg],
  read: ({ text }, limits) => xmlToMarkdown(text, limits),
};

/** @throws SourceError `file_damaged` for a file that declares entities, `extraction_limit` */
function xmlToMarkdown(text: string, limits: Limits): Reading {
  try {
    return documentToMarkdown(text, limits);
  } catch (error) {
    const declares = /<!DOCTYPE[^>[]*\[[\s\S]*?<!ENTITY/i.test(text.slice(0, 64 * 1024));
    if (declares || !(error instanceof SourceError) || error.code !== 'file_damaged') throw error;
    const message = 'The XML is not well-formed, so it is shown as source code.';
    return {
      markdown: fenced(text.trim(), 'xml'),
      title: null,
      languageHint: null,
      warnings: [{ code: 'xml_not_well_formed', message }],
    };
  }
}
