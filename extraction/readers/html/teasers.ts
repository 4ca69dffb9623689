/**
 * What leads from an article to others of its site: cards with a heading or an image, and paragraphs that are a link.
 */
import { type DomDocument, type DomElement, isLongerThan, lineOf } from './dom.ts';
import { linkShare, ownText, type Weights, weigh } from './weight.ts';

/** Letters of prose from which on a page is more than what it leads to. */
const leastProse = 600;
/** Letters that a card has at most. */
const mostOfCard = 500;
const fewestCards = 3;
const linkedHeadings = ['h2', 'h3', 'h4', 'h5', 'h6'].flatMap((name) => [`${name} a`, `a ${name}`]).join();
/** Share of links from which on a page is a list of them. */
const mostLinks = 0.4;

/**
 * Removes them where the page holds prose beside. Overviews, of which they are the content, keep them. Addresses have
 * to be resolved: what leads to another site (sources, products that a test is about) is the text's own.
 */
export function removeTeasers({ body }: DomDocument, url: string | null): void {
  const host = hostOf(url ?? '');
  const weights = weigh(body);
  const all = ownText(weights(body));
  const lists = listsOfCards(body, weights, host);
  const letters = lists.reduce((sum, list) => sum + list.reduce((total, card) => total + ownText(weights(card)), 0), 0);
  if (all - letters < Math.max(leastProse, letters)) return;
  for (const list of lists) removeWithHeading(list, body);
  if (linkShare(weights(body)) > mostLinks) return;
  for (const paragraph of Array.from(body.querySelectorAll('p, blockquote'))) {
    if (isLoneLink(paragraph, weights, host)) paragraph.remove();
  }
}

/** The cards, and what is left to announce them. */
function removeWithHeading(cards: DomElement[], body: DomElement): void {
  let around = cards[0]?.parentElement ?? null;
  for (const card of cards) card.remove();
  while (around !== null && around !== body && !/^(?:main|article|section|li|td)$/.test(around.localName)) {
    // No heading is as long as that.
    if (isLongerThan(around, mostOfCard)) return;
    const rest = lineOf(around);
    const heading = around.querySelector('h2, h3, h4, h5, h6');
    if (rest !== '' && rest !== lineOf(heading)) return;
    const { parentElement, previousElementSibling: before } = around;
    around.remove();
    if (rest !== '') return;
    if (/^h[2-6]$/.test(before?.localName ?? '')) {
      before?.remove();
      return;
    }
    around = parentElement;
  }
}

/** "Read also: ..." between two paragraphs of prose. */
function isLoneLink(paragraph: DomElement, weights: Weights, host: string | null): boolean {
  const weight = weights(paragraph);
  if (weight.text < 20 || weight.text > 200 || ownText(weight) > 20) return false;
  const links = Array.from(paragraph.querySelectorAll('a[href]'));
  const before = paragraph.previousElementSibling;
  return (
    links.length === 1 &&
    links.every((link) => isPageOf(link, host)) &&
    paragraph.querySelector('img') === null &&
    paragraph.parentElement?.closest('li, td, blockquote, figure, dd') === null &&
    !/[:：]$/.test(lineOf(before)) &&
    !/^h[1-6]$/.test(before?.localName ?? '')
  );
}

/** Cards that stand beside each other. */
function listsOfCards(body: DomElement, weights: Weights, host: string | null): DomElement[][] {
  const cards = new Map<DomElement, DomElement[]>();
  for (const card of body.querySelectorAll('article, li, div, section, a')) {
    const { parentElement: parent } = card;
    if (parent === null || !isCard(card, weights, host)) continue;
    const list = cards.get(parent);
    if (list === undefined) cards.set(parent, [card]);
    else list.push(card);
  }
  return [...cards].filter(([, { length }]) => length >= fewestCards).map(([, list]) => list);
}

function isCard(element: DomElement, weights: Weights, host: string | null): boolean {
  const weight = weights(element);
  if (weight.text < 15 || weight.text > mostOfCard || linkShare(weight) < 0.2) return false;
  if (element.closest('td, dd, p, figure') !== null) return false;
  // The pictures of a gallery have captions, with links in them; a card is a link, or its heading is.
  const isLed = element.querySelector(linkedHeadings) !== null;
  if (!isLed && (linkShare(weight) < 0.6 || element.querySelector('h2, h3, h4, h5, h6, img, picture') === null))
    return false;
  const links = element.localName === 'a' ? [element] : Array.from(element.querySelectorAll('a[href]'));
  return links.some((link) => weights(link).text >= 15) && links.every((link) => isPageOf(link, host));
}

/** A page of the site, no file of it and no part of the page itself. */
function isPageOf(link: DomElement, host: string | null): boolean {
  const address = link.getAttribute('href') ?? '';
  if (link.hasAttribute('data-within') || /\.(?:pdf|zip|docx?|xlsx?|pptx?|csv|epub|mp[34])(?:$|[?#])/i.test(address))
    return false;
  const other = hostOf(address);
  return other === null ? !/^[a-z]+:/i.test(address) : host !== null && siteOf(other) === siteOf(host);
}

function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host : null;
}

function siteOf(host: string): string {
  return host.replace(/^(?:www|m)\./, '');
}
