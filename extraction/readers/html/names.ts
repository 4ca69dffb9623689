/** What the names of elements (class, id, role, label) say of their purpose, in the words that sites use. */
import type { DomElement } from './dom.ts';
import { anyOf } from './phrases/pattern.ts';
import { words } from './words.ts';

/** What a part of a page is that is not what the page is about. */
const junk = namesAmong(
  // Sharing.
  'addthis addtoany a2a sharedaddy sharethis',
  'share shares sharing sharebar sharebuttons social socials socialmedia follow-us followus',
  // What else the site has.
  'related relateds jp-relatedposts recommended recommendations? recirc recirculation outbrain taboola zergnet',
  'read-next up-next also-like also-read also-viewed also-bought more-from more-stories more-articles more-news',
  'trending most-read mostread most-popular popular-* similar-* recently-viewed',
  'crosslinks cross-sell upsell teasers?-list',
  // Mail and money.
  'newsletters? mailing-list mailchimp mc-embed subscribe subscription-* signup sign-up optin opt-in lead-magnet',
  'ads? adverts? advertisements? advertising adsbygoogle adslot adunit adbox',
  'sponsor sponsors sponsored promo promos promotion promoted',
  'donate donation fundraising app-banner smart-banner',
  // Ways through the site and the page.
  'breadcrumbs? bread-crumbs? pagination paginator paging pager pagelinks pagenav page-nav',
  'post-nav post-navigation nav-links prev-next next-prev',
  'skip-link skip-links skiplink skip-nav skip-to-* backtotop scroll-top scrolltop to-top',
  'sidebar sidebars side-bar sidenav right-rail left-rail side-rail right-col',
  'offcanvas off-canvas hamburger mobile-menu',
  'searchbox search-form searchform site-search language-switcher lang-switcher language-selector',
  'post-taglist action-bar stat-block online-list whos-?online copyright site-footer',
  // For screen readers alone.
  'screen-reader-text screenreader sr-only visually-hidden visuallyhidden a11y-hidden offscreen',
  // Tools of the page.
  'edit-this-page edit-page edit-link editsection edit-section edit-on-github',
  'page-feedback feedback-* helpful page-rating rating-widget',
  'copy-button copy-btn copybtn btn-copy clipboard-copy copy-code',
  'print-button print-link printfriendly text-size font-size listen audio-player reading-progress progress-bar',
  // What opens above it.
  'popup pop-up modal lightbox overlay snackbar toast tooltip dropdown-menu flyout',
  // Who wrote it.
  'author-bio author-box author-card author-info about-author about-the-author authorbox bio-box',
  // MediaWiki.
  'navbox catlinks printfooter sistersitebox sister-box noprint mw-jump-link mw-indicators ambox',
  'hatnote-disambiguation authority-control authoritycontrol',
);

const consent = namesAmong(
  'cookies? cookiebar cookienotice cookieconsent cookiebanner consent gdpr ccpa',
  'privacy-banner privacy-notice privacy-popup',
  // Makers of such banners.
  'onetrust* cookiebot* cybotcookiebot* truste usercentrics* didomi* qc-cmp2? cmp cmpbox klaro',
);

/** Parts that lead elsewhere; the same words also name content, so that only their links tell. */
const navigation = namesAmong(
  'cta call-to-action actions buttons button-group controls explore discover',
  'menus? submenu navs? navigation navbar navi topnav subnav toolbar topbar top-bar header masthead footers? aside',
  'toc table-of-contents tableofcontents tocbox outline on-this-page tabs tab-list',
  'tags taglist tag-list categories category-list archives archive-list site-map sitemap',
  'widgets? links link-list languages interlanguage filters? facets? refine sort',
);

const comment = namesAmong(
  'comments? commentlist commentlisting respond replies webmentions',
  // Services that hold them.
  'disqus* livefyre giscus utterances isso-thread',
);

/** Who wrote a post of a discussion, and what can be done with it. */
const profile = namesAmong(
  'post-?profile user-?info user-?profile user-?details user-?stats user-?title post-?author-?info poster-?info poster',
  'message-?user message-cell-user avatars? badges? flair',
  'karma reputation rank joined online-status postcount post-?number signature postsignature sig',
  'post-?buttons post-?controls post-?actions post-menu message-?actions message-?attribution-opposite',
  'votes? voting votecell votelinks reactions? likes like-button',
  'quote-?button reply-?button report-?link report-?post permalink',
);

/**
 * Whether the names of an element have one of these, written as phrases are. "share" is among "share-buttons", not
 * among "shareholders": what is added to a name that is there needs none of its own.
 */
function namesAmong(...lines: readonly string[]): RegExp {
  return new RegExp(`-${anyOf(words(...lines))}-`);
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
