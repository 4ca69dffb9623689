/** Drawings in a Word document: pictures, text boxes, charts, SmartArt. */

import { posix } from 'node:path';
import { append } from '../../../append.ts';
import { cleanAltText } from '../../document/alt-text.ts';
import type { Block, Inline } from '../../document/blocks.ts';
import { childOf, descendantsOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { chartBlocks } from '../chart.ts';
import { diagramBlocks } from '../diagram.ts';
import { alternativeOf } from '../package.ts';
import type { WordPart } from './part.ts';

interface Drawn {
  inlines: Inline[];
  blocks: Block[];
}

/** The content of a `w:drawing`, `w:pict` or `w:object`. */
export function readDrawing(drawing: XmlElement, part: WordPart): Drawn {
  const drawn: Drawn = { inlines: [], blocks: [] };
  if (descendantsOf(drawing, 'v:rect').some(({ attributes }) => attributes['o:hr'] === 't')) {
    drawn.blocks.push({ kind: 'rule' });
    return drawn;
  }
  readShape(drawing, altOf(descendantsOf(drawing, 'wp:docPr')[0]), part, drawn);
  if (drawing.name === 'w:object') part.leftOut.add('embedded_objects');
  return drawn;
}

function readShape(element: XmlElement, alt: string, part: WordPart, drawn: Drawn): void {
  for (const child of elementsOf(element)) {
    const { attributes } = child;
    switch (child.name) {
      case 'w:txbxContent':
        append(drawn.blocks, part.readBlocks(child, { ...part, fields: [] }));
        break;
      case 'pic:pic': {
        const own = altOf(childOf(child, 'pic:nvPicPr', 'pic:cNvPr'));
        addPicture(descendantsOf(child, 'a:blip')[0]?.attributes, 'r:embed', alt || own, part, drawn);
        break;
      }
      case 'v:imagedata':
        addPicture(attributes, 'r:id', cleanAltText(alt || attributes['o:title']), part, drawn);
        break;
      case 'c:chart':
      case 'cx:chart': {
        const root = part.drawings.get(attributes['r:id'] ?? '');
        if (root !== undefined) append(drawn.blocks, chartBlocks(root, part.leftOut));
        break;
      }
      case 'dgm:relIds': {
        const root = part.drawings.get(attributes['r:dm'] ?? '');
        if (root !== undefined) append(drawn.blocks, diagramBlocks(root));
        break;
      }
      case 'mc:AlternateContent': {
        const alternative = alternativeOf(child);
        if (alternative !== undefined) readShape(alternative, alt, part, drawn);
        break;
      }
      default:
        // VML shapes have their description as an attribute.
        readShape(child, child.name.startsWith('v:') ? cleanAltText(attributes.alt) || alt : alt, part, drawn);
    }
  }
}

function addPicture(
  attributes: Readonly<Record<string, string>> | undefined,
  reference: string,
  alt: string,
  part: WordPart,
  drawn: Drawn,
): void {
  const id = attributes?.[reference] ?? attributes?.['r:link'] ?? '';
  const target = part.relationships.get(id)?.target ?? '';
  if (alt === '') part.leftOut.add('images_without_text');
  else drawn.inlines.push({ kind: 'image', alt, source: posix.basename(target) || 'image' });
}

/** The description of a drawing, else its title. */
export function altOf(properties: XmlElement | undefined): string {
  return cleanAltText(properties?.attributes.descr) || cleanAltText(properties?.attributes.title);
}
