/** The text of pages that scripts would draw: what their JSON holds. */
import { escapeHtml } from './escape.ts';
import { anyOf } from './phrases/pattern.ts';
import { words } from './words.ts';

/** Keys of what people write, as the state of sites names it. */
const texts = words(
  'article_?body body body_?(html|text) content content_?(html|text) rich_?text text html markdown rendered',
  'description summary lead intro excerpt paragraphs? details caption message answer question instructions bio value',
);
const titles = words('title headline heading name subtitle subheading');
/** Keys that end so hold what is for the machine, or the interface's wording. */
const others = words(
  'url href src id key token hash query schema class style css svg icon script locale translations? messages i18n',
  'config settings menu nav footer cookie seo meta experiments? flags? ads?',
);
const textKeys = new RegExp(`^${anyOf(texts)}$`, 'i');
const titleKeys = new RegExp(`^${anyOf(titles)}$`, 'i');
const otherKeys = new RegExp(`${anyOf(others)}$`, 'i');
const shortProse = 60;
const mostStrings = 5_000;
const deepest = 40;

/**
 * HTML of the prose in the page's state, each text once, a title before what belongs to it; '' where there is none. What
 * is the interface's wording is left out as far as its keys tell.
 */
export function htmlOfState(state: readonly string[]): string {
  const pieces: string[] = [];
  const seen = new Set<string>();
  for (const text of state) collect(parsed(text), { pieces, seen });
  return pieces.join('\n');
}

interface Collected {
  pieces: string[];
  seen: Set<string>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(root: unknown, { pieces, seen }: Collected): void {
  function walk(value: unknown, key: string, depth: number, title: string | null): void {
    if (depth > deepest || pieces.length >= mostStrings) return;
    if (typeof value === 'string') add(value, key, title);
    else if (Array.isArray(value)) for (const entry of value) walk(entry, key, depth + 1, null);
    else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      const named = entries.find(([name, entry]) => titleKeys.test(name) && typeof entry === 'string')?.[1];
      for (const [name, entry] of entries) {
        if (!otherKeys.test(name)) walk(entry, name, depth + 1, typeof named === 'string' ? named : null);
      }
    }
  }

  function add(value: string, key: string, title: string | null): void {
    const text = value.trim();
    const isMarkup = /<(?:p|h[1-6]|ul|ol|div|table|pre|blockquote|section)[\s>]/i.test(text);
    if (!isMarkup && !(textKeys.test(key) && isProse(text))) return;
    if (seen.has(text)) return;
    seen.add(text);
    if (title !== null && title.trim() !== text && !seen.has(title)) {
      seen.add(title);
      pieces.push(`<h2>${escapeHtml(title.trim())}</h2>`);
    }
    pieces.push(
      isMarkup
        ? text
        : text
            .split(/\n{2,}/)
            .map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
            .join('\n'),
    );
  }

  walk(root, '', 0, null);
}

/** Sentences, not identifiers, addresses or encoded bytes. */
function isProse(text: string): boolean {
  if (text.length < shortProse || /^(?:https?:|data:|[{[])/.test(text))
    return /[\p{Script=Han}\p{Script=Hiragana}]/u.test(text) && text.length >= 25;
  const spaces = text.match(/\s/g)?.length ?? 0;
  return spaces > text.length / 15 || /[。、．]/.test(text);
}
