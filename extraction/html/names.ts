/** What the names of elements (class, id, role, label) say of their purpose, in the words that sites use. */
import type { DomElement } from './dom.ts';

/** Sequences of words that name a part of a page which is not what the page is about. */
const junk = pattern([
  'addthis|addtoany|a2a|sharedaddy|sharethis|jp-relatedposts|outbrain|taboola|disqus-recommendations|zergnet',
  'share|shares|sharing|share-\\w+|sharebar|sharebuttons|social|socials|social-\\w+|socialmedia|follow-us|followus',
  'related|relateds|related-\\w+|recommended|recommendations?|recirc|recirculation|read-next|up-next|also-like|also-read|also-viewed|also-bought|more-from|more-stories|more-articles|more-news|trending|most-read|most-popular|mostread|popular-\\w+|similar-\\w+|recently-viewed|crosslinks|cross-sell|upsell|teasers?-list',
  'newsletters?|mailing-list|subscribe|subscribe-\\w+|subscription-\\w+|signup|sign-up|optin|opt-in|lead-magnet|mc-embed|mailchimp',
  'ads?|advert|adverts|advertisement|advertisements|advertising|adsbygoogle|ad-\\w+|adslot|adunit|adbox|sponsored|sponsor|sponsors|promo|promos|promotion|promoted',
  'breadcrumbs?|bread-crumbs?|pagination|paginator|pager|page-nav|post-nav|post-navigation|nav-links|prev-next|next-prev|pagenav|paging|pagelinks',
  'skip-link|skip-links|skip-to-\\w+|skiplink|skip-nav|screen-reader-text|sr-only|visually-hidden|visuallyhidden|screenreader|a11y-hidden|offscreen',
  'edit-this-page|edit-page|edit-link|editsection|edit-section|edit-on-github|page-feedback|feedback-\\w+|was-this-helpful|helpful|page-rating|rating-widget',
  'sidebar|sidebars|side-bar|sidenav|right-rail|left-rail|side-rail|right-col|post-taglist|action-bar|stat-block|online-list|whos-?online|copyright|site-footer|page-copyright',
  'back-to-top|backtotop|scroll-top|scrolltop|to-top|copy-button|copy-btn|copybtn|btn-copy|clipboard-copy|copy-code',
  'popup|pop-up|modal|lightbox|overlay|snackbar|toast|tooltip|dropdown-menu|flyout|offcanvas|off-canvas|hamburger|mobile-menu|searchbox|search-form|searchform|site-search|language-switcher|lang-switcher|language-selector',
  'author-bio|author-box|author-card|about-author|about-the-author|authorbox|author-info|bio-box|post-author-bio',
  'navbox|navbox-\\w+|vertical-navbox|catlinks|printfooter|sistersitebox|sister-box|noprint|mw-jump-link|mw-indicators|mw-editsection|ambox|hatnote-disambiguation|authority-control|authoritycontrol',
  'print-button|print-link|printfriendly|text-size|font-size|listen|audio-player|reading-progress|progress-bar|app-banner|smart-banner|donation|donate|donate-\\w+|fundraising',
]);

const consent = pattern([
  'cookies?|cookie-\\w+|cookiebar|cookienotice|cookieconsent|cookiebanner|consent|consent-\\w+|gdpr|ccpa|onetrust\\w*|cookiebot\\w*|cybotcookiebot\\w*|truste|usercentrics\\w*|didomi\\w*|qc-cmp2?|cmp|cmpbox|klaro|privacy-banner|privacy-notice|privacy-popup',
]);

/** Parts that lead elsewhere; the same words also name content, so that only their links tell. */
const navigation = pattern([
  'cta|call-to-action|page-header|page-footer|menu|menus|submenu|nav|navs|navigation|navbar|navi|topnav|subnav|aside|toc|table-of-contents|tableofcontents|tocbox|outline|on-this-page|footer|footers|header|masthead|topbar|top-bar|toolbar|tabs|tab-list|tags|taglist|tag-list|post-tags|categories|category-list|cat-links|widget|widgets|widget-area|links|link-list|quick-links|languages|interlanguage|archive-list|archives|site-map|sitemap|explore|discover|filters?|facets?|refine|sort|meta-links|actions|buttons|button-group|controls',
]);

const comment = pattern([
  'comments?|comments?-\\w+|commentlist|commentlisting|disqus\\w*|disqus-thread|respond|replies|reader-comments|user-comments|livefyre|fb-comments|giscus|utterances|isso-thread|webmentions',
]);

const profile = pattern([
  'post-?profile|user-?info|userinfo|user-?profile|user-?details|user-?stats|post-?author-?info|poster-?info|poster|message-?user|message-userdetails|message-cell-user|signature|sig|post-?signature|avatar|avatars|badges?|user-badges|post-?buttons|post-?controls|post-?actions|post-menu|post-menu-area|message-?actions|message-?attribution-opposite|vote|votes|voting|vote-count|js-voting-container|votecell|votelinks|karma|reputation|reputation-score|flair|reactions?|reactions-bar|likes|like-button|quote-?button|reply-?button|report-?link|report-?post|permalink|post-?number|postcount|online-status|rank|user-rank|user-?title|joined|location-joined',
]);

function pattern(alternatives: readonly string[]): RegExp {
  return new RegExp(`-(?:${alternatives.join('|')})-`);
}

/** "-main-content-share-" of class="mainContent" id="share". */
export function namesOf(element: DomElement): string {
  const slugs = element.getAttribute('class') ?? '';
  const id = isHeadingsOwn(element) ? '' : (element.getAttribute('id') ?? '');
  const more = `${element.getAttribute('data-testid') ?? ''} ${element.getAttribute('data-component') ?? ''}`;
  const words = `${slugs} ${id} ${more}`.slice(0, 1_000);
  if (words.trim() === '') return '';
  return words
    .split(/\s+/)
    .map(
      (name) =>
        `-${name
          .replace(/([a-z\d])([A-Z])/g, '$1-$2')
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, '-')
          .replace(/^-|-$/g, '')}-`,
    )
    .join(' ');
}

/** Documentation gives a section the id of its heading: that tells its subject. */
function isHeadingsOwn(element: DomElement): boolean {
  if (/^(?:h[1-6]|section|article|main|dt|li)$/.test(element.localName)) return true;
  const first = element.children[0];
  return first !== undefined && /^(?:h[1-6]|span|a)$/.test(first.localName);
}

export interface Purpose {
  junk: boolean;
  consent: boolean;
  navigation: boolean;
  comment: boolean;
  profile: boolean;
}

const none: Purpose = { junk: false, consent: false, navigation: false, comment: false, profile: false };

/** What an element is there for, as far as its names tell; each is a suspicion that its text has to confirm. */
export function purposeOf(element: DomElement): Purpose {
  const names = namesOf(element);
  if (names === '') return none;
  return {
    junk: junk.test(names),
    consent: consent.test(names),
    navigation: navigation.test(names),
    comment: comment.test(names),
    profile: profile.test(names),
  };
}
