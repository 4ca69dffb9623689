/** Whether a page is what several people wrote to each other. */
import { type DomDocument, lineOf } from './dom.ts';

const generators =
  /phpbb|vbulletin|discourse|xenforo|flarum|nodebb|simple machines|mybb|invision|vanilla|bbpress|question2answer|discuz|lemmy/i;
const addresses =
  /\/(?:threads?|topics?|forums?|questions?|discussions?|issues?|pulls?|merge_requests|comments|viewtopic|showthread|bbs|thread-\d+|t|r)(?:[/.-]|$)|\/item\?id=|viewtopic\.php|showthread\.php|news\.ycombinator\.com\/item/i;
const types = ['DiscussionForumPosting', 'QAPage', 'SocialMediaPosting', 'Conversation'];
const posts =
  '[itemtype*="DiscussionForumPosting"], [itemtype*="schema.org/Answer"], [itemtype*="schema.org/Question"], [itemtype$="QAPage"], .topic-post, .topic-body, .postbody, .post-message, .post_body, .post-content.message, .message--post, .message-body, .bbWrapper, .js-comment-body, .comment-body, .commtext, .answer, .reply-content, .post-text, .s-prose, .js-post-body, .cPost, .bbp-reply-content';

/** `url` and `types` are what is known of the page beside its document. */
export function isDiscussion(
  document: DomDocument,
  { url, types: said }: { url: string | null; types: ReadonlySet<string> },
): boolean {
  const long = Array.from(document.querySelectorAll(posts)).filter((post) => lineOf(post).length > 20).length;
  if (types.some((type) => said.has(type)) && !said.has('NewsArticle')) return true;
  if (generators.test(document.querySelector('meta[name="generator"]')?.getAttribute('content') ?? '')) return true;
  const names = `${document.documentElement?.getAttribute('class') ?? ''} ${document.body.getAttribute('class') ?? ''} ${document.body.getAttribute('id') ?? ''}`;
  if (
    /\b(?:question-page|viewtopic|phpbb|vbulletin|xenforo|topic-page|showthread|forum|bbpress|thread-page|discussion)\b/i.test(
      names,
    )
  )
    return long >= 1;
  const path = url !== null && URL.canParse(url) ? new URL(url).href.replace(/^https?:\/\//, '') : '';
  return long >= 2 && addresses.test(path);
}
