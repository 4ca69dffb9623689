/** Takes out of a page what is not what it is about: navigation, consent, sharing, advertisements, what is related. */
import { type DomDocument, type DomElement, isElement, isLongerThan, lineOf } from './dom.ts';
import { purposeOf } from './names.ts';
import { leadingElsewhere, mailing } from './phrases/around-articles.ts';
import { consentBanner } from './phrases/consent.ts';
import { anyOf } from './phrases/pattern.ts';
import { linkShare, ownText, type Weights, weigh } from './weight.ts';
import { words } from './words.ts';

/** Names mean something else where an element holds more than this share of the page's own text. */
const mostOfPage = 0.3;
/** Comments are what a page is about when this little is left without them. */
const fewLetters = 300;
/** Letters from which on what boxes beside an article hold is as likely a part of it. */
const leastProse = 500;
/** Letters of a banner in which its subject is looked for. */
const mostOfBanner = 5_000;
const never = new Set(words('html body main article pre code math h1 table tbody tr td li'));
const inline = new Set(words('span em strong b i code time abbr sub sup label small mark'));

/** Changes the document. `discussion`: what people answered is what the page is about, who they are is not. */
export function removeBoilerplate(document: DomDocument, discussion: boolean): void {
  const { body } = document;
  showLargeHidden(body);
  const weights = weigh(body);
  const page = { weights, own: ownText(weights(body)), text: weights(body).text, discussion };
  removeWithin(body, page);
  removeLeadingElsewhere(body);
}

/** From the outside in; what code and formulas hold is theirs. */
function removeWithin(parent: DomElement, page: Page): void {
  for (const element of Array.from(parent.children)) {
    if (element.localName === 'pre' || element.localName === 'tex-math') continue;
    if (!never.has(element.localName) && isBoilerplate(element, page)) element.remove();
    else removeWithin(element, page);
  }
}

interface Page {
  weights: Weights;
  own: number;
  text: number;
  discussion: boolean;
}

function isBoilerplate(element: DomElement, page: Page): boolean {
  const weight = page.weights(element);
  const share = page.own === 0 ? 0 : ownText(weight) / page.own;
  if (isHidden(element)) return true;
  if (isStructuralChrome(element, page, share)) return true;
  if (element.localName === 'a') return isButton(element);
  if (weight.text < 250 && weight.linked > 0 && mailing.test(lineOf(element))) return true;
  const is = purposeOf(element);
  if (is.consent && share < 0.6 && consentBanner.test(lineOf(element).slice(0, mostOfBanner))) return true;
  if (
    is.junk &&
    share < mostOfPage &&
    !isProse(element, page) &&
    !inline.has(element.localName) &&
    element.querySelector('h1') === null
  )
    return true;
  if (is.junk && inline.has(element.localName) && weight.text < 60) return true;
  if (is.comment && !page.discussion && element.localName !== 'span' && page.own - ownText(weight) > fewLetters)
    return true;
  if (is.profile && page.discussion && share < 0.15 && weight.text < 400) return true;
  return (
    is.navigation &&
    share < mostOfPage &&
    !inline.has(element.localName) &&
    linkShare(weight) > 0.5 &&
    weight.text < page.text * 0.6
  );
}

/**
 * What is written in several paragraphs of an article is part of it, whatever its names say ("js-lightbox",
 * "font-size-s").
 */
function isProse(element: DomElement, { weights }: Page): boolean {
  const weight = weights(element);
  if (ownText(weight) < leastProse || linkShare(weight) > 0.15) return false;
  if (element.parentElement?.closest('article, main, [role="main"], [itemprop~="articleBody"]') === null) return false;
  if (element.querySelector('input, select, textarea') !== null) return false;
  const paragraphs = Array.from(element.querySelectorAll('p, dd, li'), (part) => ownText(weights(part)));
  return paragraphs.filter((letters) => letters > 100).reduce((a, b) => a + b, 0) >= leastProse;
}

/** What looks like a button does something; a link within a sentence is part of it. */
function isButton(link: DomElement): boolean {
  const isNamed =
    link.getAttribute('role') === 'button' ||
    /(?:^|[\s_-])(?:btn|button)(?:$|[\s_-])/.test(link.getAttribute('class') ?? '');
  if (!isNamed || link.parentElement === null) return false;
  const { length } = lineOf(link);
  return length < 40 && !isLongerThan(link.parentElement, length * 2 - 1);
}

function isHidden(element: DomElement): boolean {
  return (
    element.hasAttribute('hidden') ||
    element.getAttribute('aria-hidden') === 'true' ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(element.getAttribute('style') ?? '')
  );
}

/** What scripts show later, like a page that fades in, is no boilerplate. */
function showLargeHidden(body: DomElement): void {
  const weights = weigh(body);
  const all = weights(body).text;
  const hidden = [body, ...body.querySelectorAll('[hidden], [aria-hidden="true"], [style]')].filter(isHidden);
  // Tabs and slides are shown one at a time: what stands beside each other under one name counts as one.
  const groups = new Map<DomElement | null, Map<string | null, number>>();
  const groupOf = (element: DomElement) => groups.get(element.parentElement) ?? new Map<string | null, number>();
  for (const element of hidden) {
    const name = element.getAttribute('class');
    const group = groupOf(element);
    groups.set(element.parentElement, group.set(name, (group.get(name) ?? 0) + weights(element).text));
  }
  for (const element of hidden) {
    if ((groupOf(element).get(element.getAttribute('class')) ?? 0) < all * 0.5) continue;
    for (const attribute of ['hidden', 'aria-hidden', 'style']) element.removeAttribute(attribute);
  }
}

const chromeNames = new Set(['nav', 'header', 'footer', 'aside', 'form', 'fieldset']);
const chromeRoles = new Set(
  words('navigation banner contentinfo search complementary', 'dialog alertdialog menu menubar toolbar tablist'),
);
/** Names of asides that belong to the text. */
const notes = words(
  'note warning tip hint info admonition callout caution important alert danger',
  'pullquote quote definition example footnotes? sidenote marginnote',
);
const noteNames = new RegExp(String.raw`(?:^|[\s_-])${anyOf(notes)}s?(?:$|[\s_-])`, 'i');

function isStructuralChrome(element: DomElement, { weights, own }: Page, share: number): boolean {
  if (!chromeNames.has(element.localName) && !chromeRoles.has(element.getAttribute('role') ?? '')) return false;
  const links = linkShare(weights(element));
  const within = element.parentElement?.closest('article, main, [role="main"], blockquote') ?? null;
  switch (element.localName) {
    case 'form':
    case 'fieldset':
      // A form around the whole page is how some servers work.
      return share < 0.25;
    case 'header':
      if (within !== null) return false;
      return share < mostOfPage && !isHeadOf(element);
    case 'footer':
      return within === null ? share < mostOfPage : links > 0.3 && weights(element).text < 1_500;
    case 'aside':
      if (isNote(element)) return false;
      return within === null ? share < mostOfPage : links > 0.3 || purposeOf(element).navigation || share < 0.02;
    case 'nav':
      return own < 50 || share < 0.5;
    default:
      return share < mostOfPage && (links > 0.3 || !/complementary/.test(element.getAttribute('role') ?? ''));
  }
}

function isNote(aside: DomElement): boolean {
  return ['class', 'role', 'data-type'].some((name) => noteNames.test(aside.getAttribute(name) ?? ''));
}

/** The only h1 of a page stands in the header of some; its other parts lead elsewhere. */
function isHeadOf(header: DomElement): boolean {
  const heading = header.querySelector('h1');
  return heading !== null && header.querySelector('nav, ul') === null && lineOf(heading).length > 25;
}

/** Headings like "Related articles" go with the lists of links that follow them. */
function removeLeadingElsewhere(body: DomElement): void {
  const weights = weigh(body);
  for (const heading of Array.from(body.querySelectorAll('h1, h2, h3, h4, h5, h6, p, div, strong'))) {
    if (!body.contains(heading) || weights(heading).text > 60 || heading.querySelector('h1, h2, h3, h4') !== null)
      continue;
    if (!leadingElsewhere.test(lineOf(heading))) continue;
    const after: DomElement[] = [];
    for (let next = heading.nextElementSibling; isElement(next); next = next.nextElementSibling) {
      if (/^h[1-6]$/.test(next.localName) || (weights(next).text > 0 && linkShare(weights(next)) < 0.4)) break;
      after.push(next);
    }
    const parent = heading.parentElement;
    if (after.some((element) => weights(element).text > 0)) for (const element of [heading, ...after]) element.remove();
    else if (
      parent !== null &&
      parent !== body &&
      heading.previousElementSibling === null &&
      linkShare(weights(parent)) > 0.5 &&
      weights(parent).text < 1_500
    )
      parent.remove();
    else if (/^h[1-6]$/.test(heading.localName) && heading.nextElementSibling === null) heading.remove();
  }
}
