/** Mixed content of an XML document -> Markdown of one paragraph. */

import { escapeInline } from '../../markdown/write.ts';
import { longestTicks } from '../document/inline.ts';
import { elementsOf, isElement, textOf, type XmlElement, type XmlNode } from '../xml/parse.ts';
import { breaks, codeNames, emphasisNames, linkNames, localName, notes, pictures, strongNames } from './names.ts';

/** State while a document is written. */
export interface Writing {
  /** Markdown of the footnotes, in order. */
  footnotes: string[];
  pictures: number;
}

/** The nodes as Markdown on one line; a break starts a new line. */
export function inlineOf(nodes: readonly XmlNode[], writing: Writing): string {
  return nodes
    .map((node) => (isElement(node) ? inlineElement(node, writing) : escapeInline(node.replace(/\s+/g, ' '))))
    .join('')
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replace(/\n/g, '  \n')
    .replace(/^(#{1,6}|[-+>])(?=\s)/, '\\$1');
}

function inlineElement(element: XmlElement, writing: Writing): string {
  const name = localName(element.name);
  if (breaks.has(name)) return '\n';
  // TEI has alternatives (original and corrected text): one of them is read.
  if (name === 'choice') {
    const wanted = elementsOf(element).find((child) => /^(?:corr|reg|expan)$/.test(localName(child.name)));
    if (wanted !== undefined) return inlineElement(wanted, writing);
  }
  if (pictures.has(name)) {
    writing.pictures += 1;
    return '';
  }
  if (notes.has(name) || (name === 'note' && element.attributes.place !== undefined)) {
    const index = writing.footnotes.push('') - 1;
    const text = element.children.map((child) =>
      isElement(child) ? inlineOf(child.children, writing) : escapeInline(child.trim()),
    );
    writing.footnotes[index] = text
      .filter((part) => part !== '')
      .join(' ')
      .replace(/\s+/g, ' ');
    return `[^${index + 1}]`;
  }
  if (codeNames.has(name)) return codeSpan(textOf(element));
  const content = inlineOf(element.children, writing);
  // Spaces at the ends of an element go outside of the emphasis delimiters.
  const text = textOf(element);
  const around = (marked: string) => `${/^\s/.test(text) ? ' ' : ''}${marked}${/\s$/.test(text) ? ' ' : ''}`;
  if (content === '') return text === '' ? '' : ' ';
  const { role = '', rend = '', rendition = '' } = element.attributes;
  const style = `${role} ${rend} ${rendition}`;
  if (strongNames.has(name) || (emphasisNames.has(name) && /bold|strong/.test(style))) return around(`**${content}**`);
  if (emphasisNames.has(name)) return around(`*${content}*`);
  if (name === 'quote' || name === 'q') return around(`“${content}”`);
  const address = linkNames.has(name) ? addressOf(element) : null;
  return address === null ? around(content) : around(`[${content.replace(/[[\]]/g, '\\$&')}](<${address}>)`);
}

export function addressOf({ attributes }: XmlElement): string | null {
  const address = attributes['xlink:href'] ?? attributes.url ?? attributes.href ?? attributes.target ?? '';
  return /^(?:https?:|mailto:)[^\s<>]+$/.test(address) ? address : null;
}

function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, ' ').trim();
  if (code === '') return '';
  const longest = longestTicks(code);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${code}\`` : `${fence} ${code} ${fence}`;
}
