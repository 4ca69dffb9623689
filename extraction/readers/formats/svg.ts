/** SVG -> its size, title, description and texts. */
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { escapeInline } from '../../markdown/write.ts';
import { factsToMarkdown } from '../images/facts.ts';
import { descendantsOf, elementsOf, parseXml, textOf, type XmlElement } from '../xml/parse.ts';
import type { TextFormat } from './format.ts';

export const svg: TextFormat = {
  kind: 'text',
  name: 'image',
  label: 'an SVG image',
  mediaTypes: ['image/svg+xml'],
  extensions: ['svg'],
  parser: 'saxes',
  emptyMessage: 'The image has no metadata and no text.',
  detect: ({ xmlRoot }) => (xmlRoot() === 'svg' ? 'sure' : null),
  read: ({ text }, limits) => svgToMarkdown(text, limits),
};

function svgToMarkdown(text: string, limits: Limits): Reading {
  const root = parseXml(text, limits, { allowsDoctype: true });
  const line = (element: XmlElement | undefined) => textOf(element).replace(/\s+/g, ' ').trim() || null;
  const own = (name: string) => elementsOf(root).find((child) => child.name.replace(/^.*:/, '') === name);
  const title = line(own('title'));
  const texts = descendantsOf(root, 'text').flatMap((element) => {
    const spans = elementsOf(element).filter(
      ({ attributes }) => attributes.y !== undefined || attributes.dy !== undefined,
    );
    const label = spans.length > 1 ? spans.map(line).join(' ') : line(element);
    return label === null || label.trim() === '' ? [] : [escapeInline(label)];
  });
  const facts = factsToMarkdown(title, [
    ['Kind', 'SVG'],
    ['Size', sizeOf(root)],
    ['Description', line(own('desc'))],
    ['Author', line(descendantsOf(root, 'dc:creator')[0])],
  ]);
  const labels =
    texts.length === 0 ? '' : `\n\nTexts in the image:\n\n${texts.map((label) => `- ${label}`).join('\n')}`;
  return { markdown: facts + labels, title, languageHint: root.attributes['xml:lang'] ?? null };
}

function sizeOf({ attributes }: XmlElement): string | null {
  const { width, height, viewBox } = attributes;
  const isNumber = (value: string | undefined): value is string => /^[\d.]+(?:px|mm|cm|in|pt)?$/.test(value ?? '');
  const unit = (value: string) => (/[a-z]$/.test(value) ? value : `${value} px`);
  if (isNumber(width) && isNumber(height)) return `${unit(width)} × ${unit(height)}`;
  const [, , wide, high] = viewBox?.trim().split(/[\s,]+/) ?? [];
  return isNumber(wide) && isNumber(high) ? `${wide} × ${high}` : null;
}
