/** What error pages say, in their headings and below. */
import { words } from '../words.ts';
import { anyOf, mentioning, type Phrases } from './pattern.ts';

const statuses = words(
  '400 401 403 404 405 406 409 410 429 451 500 502 503 504',
  // Of content delivery networks.
  '520 521 522 523 524 525 526 527',
);
const beforeStatus: Phrases = {
  en: ['error', 'http', 'code'],
  de: ['fehler'],
  es: ['código'],
  fr: ['erreur'],
  pt: ['erro'],
};
const afterStatus: Phrases = {
  en: [
    'error',
    'not found',
    'forbidden',
    'unauthori(s|z)ed',
    'gone',
    'bad gateway',
    'service (temporarily )?unavailable',
    'gateway time-?out',
    'internal server error',
    'too many requests',
    'page',
    'oops',
    'sorry',
  ],
  de: ['seite', 'fehler'],
  pt: ['página'],
};

/** "Error 404: page not found", "503", "404 - My site"; not "404 days in space". */
export const statusTitle = new RegExp(
  String.raw`^\W*(?:${anyOf(beforeStatus)}\W*)?${anyOf(statuses)}\b(?:\W+${anyOf(afterStatus)}|\W*$|\W*[|–—-])`,
  'i',
);

const interjections = ['oops', 'sorry', 'uh-?oh', 'whoops'];

const thing = '(page|url|document|file|site|content|article|resource)';
const theThing = `(the |this |that )?(requested )?${thing}( you requested| you are looking for| requested)?`;
const isNot = "(was|is|were|could|can|has|have|does)( ?not|n't| been)?";
const missing = '(found|not found|missing|available|exist|unavailable|gone|removed|no longer (available|exists?))';

const titles: Phrases = {
  en: [
    `${theThing} (${isNot} ?)?(be )?${missing}`,
    'page not',
    'not found',
    'access (is |was |to this (page|site) (has been |is ))?(denied|forbidden|restricted)',
    'forbidden',
    'unauthori(s|z)ed',
    'bad gateway',
    'service (temporarily )?unavailable',
    'internal server error',
    'something went wrong',
    'an error (has )?occurred',
    'application error',
    "(site|we are|we'll be|temporarily) (is )?(under|down for|offline for) maintenance",
  ],
  ar: ['الصفحة غير موجودة'],
  de: ['(diese |die )?seite (wurde )?(leider )?nicht gefunden', 'zugriff verweigert'],
  es: ['página no encontrada', 'acceso denegado'],
  fr: ['page (introuvable|non)', 'accès (refusé|interdit)'],
  it: ['pagina non trovata'],
  ja: ['(お探しの)?ページ(が|は)(見つかりません|存在しません|ありません)'],
  ko: ['페이지를 찾을 수 없습니다'],
  pt: ['página não encontrada'],
  ru: ['страница не найдена', 'доступ запрещ(е|ё)н'],
  zh: ['(页面|頁面)(不存在|未找到|找不到)'],
};

/** "Oops! The page you are looking for does not exist". */
export const errorTitle = new RegExp(String.raw`^\W*(?:${anyOf(interjections)}\W*)*${anyOf(titles)}`, 'iu');

const missingThing = '(page|url|file|article|resource)';

/** What only an error page says. */
export const errorText = mentioning({
  words: {
    en: [
      `${missingThing} you('re| are| were)? (looking for|requested|tried to)`,
      `${missingThing} could ?(not|n't) be found`,
      `${missingThing} (was|is|were) not found`,
      `${missingThing} does ?(not|n't) exist`,
      `${missingThing} no longer exists?`,
      `${missingThing} has been (moved|removed|deleted)`,
      "(don't|do not) have permission to (access|view)",
      'you are not authori(s|z)ed',
      "(you have|you've) been blocked",
      'request (was |has been )?blocked',
      'access denied',
      'error (code|reference|id)',
      'ray id',
      'error 404',
      '404 error',
      'return( to)? (the )?home(page)?',
      'back to (the )?home(page)?',
      'go (back )?(to )?home',
    ],
  },
  parts: {
    en: ['reference ?#'],
    de: ['nicht gefunden'],
    es: ['no encontrada'],
    fr: ['introuvable'],
    ja: ['見つかりません'],
    ru: ['не найдена'],
  },
});

/** What the sentences of an error page are about. */
export const errorSubject = mentioning({
  words: {
    en: words(
      'page site link url address found exist search home',
      'error access permission request server blocked denied unavailable maintenance',
      'try later sorry contact',
    ),
  },
  parts: { de: ['seite'], ja: ['ページ'], pt: ['página'], zh: ['页面'] },
});
