/** Slides of all presentation formats as blocks. */
import { type Block, type Inline, isVisible, plain } from './blocks.ts';

export interface Slide {
  heading: Block;
  /** False where the heading is only the slide's number. */
  isTitled: boolean;
  blocks: Block[];
}

/** A slide with its title as heading, or its number (from 1) where it has none. */
export function slideOf(number: number, title: readonly Inline[], isHidden: boolean, blocks: Block[]): Slide {
  const isTitled = title.some(isVisible);
  const content: Inline[] = [
    { kind: 'page', hard: true },
    ...(isTitled ? title : [plain(`Slide ${number}`)]),
    ...(isHidden ? [plain(' (hidden slide)')] : []),
  ];
  return { heading: { kind: 'heading', level: 2, content }, isTitled, blocks };
}

/** The speaker notes of a slide, as a quote. */
export function speakerNotes(blocks: readonly Block[]): Block[] {
  if (blocks.length === 0) return [];
  const label: Inline = { kind: 'text', text: 'Speaker notes:', marks: new Set(['bold']), href: null };
  return [{ kind: 'quote', blocks: [{ kind: 'paragraph', content: [label] }, ...blocks] }];
}
