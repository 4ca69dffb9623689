/** Blocks of a main part that are little but links: what is left of menus, and the lists of archives. */
import { type DomDocument, type DomElement, lineOf } from './dom.ts';
import { linkShare, type Weight, type Weights, weigh } from './weight.ts';

/** Share of links from which on a page is a list of them. */
const mostLinks = 0.4;
/** Letters of a list of links between a text and the rule that sets it off. */
const mostOfList = 500;

/** Most links of a page of prose lead away from it, but for lists that have a heading of their own. */
export function removeLinkBlocks(region: DomElement, weights: Weights, kinds: string): void {
  const all = weights(region);
  if (linkShare(all) > mostLinks) return;
  const isFact = factsOf();
  for (const element of Array.from(region.querySelectorAll(kinds))) {
    const weight = weights(element);
    if (weight.text === 0 || linkShare(weight) < 0.6 || weight.text > all.text * 0.3 || !region.contains(element))
      continue;
    if (isFact(element, weight)) continue;
    const isInText = element.localName === 'span' && isWithinText(element, weights);
    const before = element.previousElementSibling;
    const isListed = /^(?:h[1-6]|p)$/.test(before?.localName ?? '') && lineOf(before) !== '';
    if (
      !isInText &&
      !isListed &&
      element.closest('li, pre, figure, blockquote') === null &&
      element.querySelector('h1, h2, h3, h4, pre, img[alt]') === null
    )
      element.remove();
  }
}

function isWithinText(element: DomElement, weights: Weights): boolean {
  const { parentElement: parent } = element;
  return parent !== null && weights(parent).text > weights(element).text * 3;
}

/**
 * A cell of a table of facts is often a link; tables that lay out a page stand within each other, or have many links.
 * Each table is searched once, not for each of its rows.
 */
function factsOf(): (element: DomElement, weight: Weight) => boolean {
  const nested = new Map<DomElement, boolean>();
  function isNested(table: DomElement): boolean {
    const is =
      nested.get(table) ??
      (table.querySelector('table') !== null || (table.parentElement?.closest('table') ?? null) !== null);
    nested.set(table, is);
    return is;
  }
  return (element, { text }) => {
    if (!/^t[dr]$/.test(element.localName) || text > 200) return false;
    const table = element.closest('table');
    return table !== null && !isNested(table) && Array.from(element.querySelectorAll('a')).length < 3;
  };
}

/** Archives set their links to other messages, and to lists of them, off by rules above and below the text. */
export function removeSetOffLinks({ body }: DomDocument): void {
  const rules = Array.from(body.querySelectorAll('hr'));
  const weights = weigh(body);
  const leadsAway = (element: DomElement) =>
    weights(element).text < mostOfList && (weights(element).text === 0 || linkShare(weights(element)) > 0.45);
  for (const side of ['previousElementSibling', 'nextElementSibling'] as const) {
    const rule = side === 'previousElementSibling' ? rules[0] : rules.at(-1);
    for (let next = rule?.[side] ?? null; next !== null && leadsAway(next); ) {
      const gone = next;
      next = next[side];
      gone.remove();
    }
  }
}
