/** Numbers of list items and headings, counted as Word does (ECMA-376 part 1, 17.9). */
import type { ItemLabel } from '../../document/blocks.ts';
import { numeral } from '../../document/numerals.ts';
import { childOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { isOn, numberOf, type Styles } from './styles.ts';

interface Level {
  format: string;
  /** Template of the label, such as "%1.%2)". */
  text: string;
  start: number;
  /** The level (from 1) after which the count restarts; 0 for never; undefined for any higher level. */
  restart: number | undefined;
  decimalsOnly: boolean;
}

interface List {
  /** Lists with one definition share their counters. */
  counterKey: string;
  levels: ReadonlyMap<number, Level>;
  /** Start number of each level where the list restarts. */
  starts: ReadonlyMap<number, number>;
}

export interface Numbering {
  /** Counts and returns the label: null for an unknown id, the literal "" for a level without a label. */
  next(id: string, level: number): ItemLabel | null;
}

const lastLevel = 8;

/** Reads numbering.xml. */
export function readNumbering(root: XmlElement | null, styles: Styles): Numbering {
  const abstracts = byId(root, 'w:abstractNum', 'w:abstractNumId');
  const instances = byId(root, 'w:num', 'w:numId');
  const lists = new Map<string, List | null>();
  const counters = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();

  function abstractOf(id: string, depth = 0): [string, XmlElement] | null {
    const key = childOf(instances.get(id), 'w:abstractNumId')?.attributes['w:val'];
    const abstract = key === undefined ? undefined : abstracts.get(key);
    if (key === undefined || abstract === undefined) return null;
    const link = childOf(abstract, 'w:numStyleLink')?.attributes['w:val'];
    const linked = link === undefined ? undefined : styles.listNumbering(link);
    return linked === undefined || linked === id || depth > 5 ? [key, abstract] : abstractOf(linked, depth + 1);
  }
  function listOf(id: string): List | null {
    const found = abstractOf(id);
    if (found === null) return null;
    const levels = new Map(elementsOf(found[1], 'w:lvl').map(levelEntry));
    const starts = new Map<number, number>();
    for (const override of elementsOf(instances.get(id), 'w:lvlOverride')) {
      const at = Number(override.attributes['w:ilvl']);
      const level = childOf(override, 'w:lvl');
      if (level !== undefined) levels.set(at, levelEntry(level)[1]);
      const start = numberOf(childOf(override, 'w:startOverride'));
      if (start !== undefined) starts.set(at, start);
    }
    return { counterKey: found[0], levels, starts };
  }
  return {
    next(id, wanted) {
      const list = lists.get(id) ?? listOf(id);
      lists.set(id, list);
      if (list === null) return null;
      const at = Math.min(wanted, lastLevel);
      const level = list.levels.get(at) ?? {
        format: 'bullet',
        text: '•',
        start: 1,
        restart: undefined,
        decimalsOnly: false,
      };
      const counts = counters.get(list.counterKey) ?? [];
      counters.set(list.counterKey, counts);
      for (const [overridden, start] of list.starts) {
        const key = `${id} ${overridden}`;
        if (overridden > at || begun.has(key)) continue;
        begun.add(key);
        counts[overridden] = overridden === at ? start - 1 : start;
      }
      counts[at] = (counts[at] ?? level.start - 1) + 1;
      for (let below = at + 1; below <= lastLevel; below += 1) {
        const restart = list.levels.get(below)?.restart;
        if (restart === undefined || (restart > 0 && at < restart)) counts[below] = undefined;
      }
      return labelOf(list, level, at, counts);
    },
  };
}

function labelOf(list: List, level: Level, at: number, counts: readonly (number | undefined)[]): ItemLabel {
  if (level.format === 'bullet') return level.text.trim() === '' ? { kind: 'literal', text: '' } : { kind: 'bullet' };
  const number = counts[at] ?? 1;
  const simple = new RegExp(`^%${at + 1}([.)])$`).exec(level.text)?.[1];
  if (level.format === 'decimal' && (simple === '.' || simple === ')') && number < 1e9) {
    return { kind: 'number', number, delimiter: simple };
  }
  const text = level.text.replace(/%([1-9])/g, (_, digit: string) => {
    const shown = list.levels.get(Number(digit) - 1);
    const value = counts[Number(digit) - 1] ?? shown?.start ?? 1;
    return numeral(value, level.decimalsOnly ? 'decimal' : (shown?.format ?? 'decimal'));
  });
  return { kind: 'literal', text: level.format === 'none' ? '' : text.trim() };
}

function levelEntry(element: XmlElement): [number, Level] {
  return [
    Number(element.attributes['w:ilvl'] ?? 0),
    {
      format: childOf(element, 'w:numFmt')?.attributes['w:val'] ?? 'decimal',
      text: childOf(element, 'w:lvlText')?.attributes['w:val'] ?? '',
      start: numberOf(childOf(element, 'w:start')) ?? 1,
      restart: numberOf(childOf(element, 'w:lvlRestart')),
      decimalsOnly: isOn(childOf(element, 'w:isLgl')),
    },
  ];
}

function byId(root: XmlElement | null, name: string, attribute: string): Map<string, XmlElement> {
  const found = new Map<string, XmlElement>();
  for (const element of elementsOf(root ?? undefined, name)) {
    const id = element.attributes[attribute];
    if (id !== undefined) found.set(id, element);
  }
  return found;
}
