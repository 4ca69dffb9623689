/** What stands around the text of articles: headings of what leads elsewhere, and the lines of a newsletter's mail. */
import { anyOf, type Phrases } from './pattern.ts';

const headings: Phrases = {
  en: [
    'related (articles?|posts?|stories|content|topics|reading|news|products|links|questions)',
    'you (may|might) (also )?(like|enjoy|be interested in)',
    'read (next|more|also)',
    'recommended( for you| reading)?',
    'most (read|popular)',
    'trending( now)?',
    'popular (posts|articles|now)',
    'share',
    '(leave|post|add) a (comment|reply)',
    'advertisement',
    'recently viewed',
    'sponsored( content)?',
  ],
  ar: ['(اقرأ|إقرأ|اقرا) (أيضا|أيضًا|أيضاً|المزيد)', 'مواضيع ذات صلة', 'مقالات ذات صلة'],
  de: [
    'anzeige',
    'ähnliche (artikel|beiträge|produkte)',
    'mehr zum thema',
    'das könnte (sie|dich) auch interessieren',
    'weitere (artikel|meldungen|beiträge)',
    'lesen sie auch',
  ],
  es: [
    'publicidad',
    '(artículos|noticias|entradas|contenido) relacionad(o|a)s?',
    '(también )?te puede interesar',
    'lee también',
  ],
  fr: [
    'publicité',
    '(à|a) lire (aussi|également)',
    'lire aussi',
    'articles (liés|similaires|connexes)',
    'sur le même sujet',
  ],
  he: ['כתבות נוספות', 'עוד בנושא', 'אולי יעניין אותך'],
  it: ['notizie correlate', 'leggi anche', 'potrebbe interessarti( anche)?'],
  ja: ['関連(記事|リンク|ニュース|コンテンツ|商品)', 'おすすめ(記事)?', 'あわせて読みたい', '人気記事', 'ランキング'],
  ko: ['관련 ?(기사|글)', '인기 ?기사'],
  pt: ['leia (também|mais)', 'veja também', 'artigos relacionados'],
  ru: ['читайте также', 'похожие (статьи|материалы)'],
  zh: ['(相关|相關)(文章|阅读|新闻|推荐|閱讀)', '推荐阅读'],
};
/** Whatever follows them on the line. */
const beginnings: Phrases = {
  en: [
    '(more|latest|other) (from|on this|articles|stories|news|posts|like this|in this section)',
    'share (this|on)',
    'customers (who|also)',
  ],
};
/** Where their last word may go on: "People also asked". */
const openBeginnings: Phrases = { en: ['(people|frequently) (also )?(bought|viewed|ask)'] };

const wholeLine = String.raw`(?:${anyOf(headings)}|comments?(?: \(\d+\))?)\s*[:：…]?`;

/** A heading of links to other pages, and nothing else: "Related articles:", "Comments (3)". */
export const leadingElsewhere = new RegExp(
  String.raw`^(?:${wholeLine}|${anyOf(beginnings)}\b.*|${anyOf(openBeginnings)}.*)$`,
  'iu',
);

const online = ['(view|read) (this |it )?(e-?mail |newsletter )?(in|on) (your |the )?(web ?)?(browser|site)'];
const leaving = ['unsubscribe', 'update (your )?(email )?preferences'];

/** "View this e-mail in your browser", "Unsubscribe here." */
export const mailing = new RegExp(String.raw`^${anyOf(online)}|\b${anyOf(leaving)}\b[^.]{0,40}\.?$`, 'i');
