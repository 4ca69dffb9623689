/** Whether a page is what several people wrote to each other. */
import { type DomDocument, lineOf } from './dom.ts';
import { anyOf } from './phrases/pattern.ts';
import { words } from './words.ts';

const software = [
  'simple machines',
  ...words(
    'phpbb vbulletin discourse xenforo flarum nodebb mybb invision vanilla bbpress question2answer discuz lemmy',
  ),
];
const generators = new RegExp(anyOf(software), 'i');

/** Parts of the path of an address. */
const folders = words(
  'threads? topics? forums? questions? discussions? issues? pulls? merge_requests',
  'comments viewtopic showthread bbs t r',
);
const scripts = ['viewtopic.php', 'showthread.php'];
const addresses = new RegExp(
  String.raw`/(?:${anyOf(folders)}|thread-\d+)(?:[/.-]|$)|/item\?id=|${anyOf(scripts)}`,
  'i',
);

/** Classes and the id of the page. */
const pages = words(
  'question-page topic-page thread-page viewtopic showthread forum discussion',
  'phpbb vbulletin xenforo bbpress',
);
const pageNames = new RegExp(String.raw`\b${anyOf(pages)}\b`, 'i');

/** Of schema.org. */
const types = ['DiscussionForumPosting', 'QAPage', 'SocialMediaPosting', 'Conversation'];

/** Letters from which on a post says something. */
const leastOfPost = 20;
const posts = words(
  '[itemtype*="DiscussionForumPosting"] [itemtype*="schema.org/Answer"] [itemtype*="schema.org/Question"]',
  '[itemtype$="QAPage"] .topic-post .topic-body .postbody .post-message .post_body .post-content.message .post-text',
  '.message--post .message-body .bbWrapper .comment-body .js-comment-body .commtext .answer .reply-content',
  '.bbp-reply-content .s-prose .js-post-body .cPost',
).join();

/** `url` and `types` are what is known of the page beside its document. */
export function isDiscussion(
  document: DomDocument,
  { url, types: said }: { url: string | null; types: ReadonlySet<string> },
): boolean {
  const long = Array.from(document.querySelectorAll(posts)).filter((post) => lineOf(post).length > leastOfPost).length;
  if (types.some((type) => said.has(type)) && !said.has('NewsArticle')) return true;
  if (generators.test(document.querySelector('meta[name="generator"]')?.getAttribute('content') ?? '')) return true;
  const { documentElement, body } = document;
  const names = [documentElement?.getAttribute('class'), body.getAttribute('class'), body.getAttribute('id')];
  if (pageNames.test(names.join(' '))) return long >= 1;
  const path = url !== null && URL.canParse(url) ? new URL(url).href.replace(/^https?:\/\//, '') : '';
  return long >= 2 && addresses.test(path);
}
