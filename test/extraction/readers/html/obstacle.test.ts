import { defaultLimits } from '../../../../extraction/limits.ts';
import { readPage } from '../../../../extraction/readers/html/page.ts';

const page = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
const read = (html: string) => readPage(html, 'https://example.com/page', defaultLimits);

test.each([
  [
    'a server’s error page',
    page('404 Not Found', '<center><h1>404 Not Found</h1></center><hr><center>nginx</center>'),
    'fetch_http_status',
    'error page',
  ],
  [
    'a designed error page',
    page(
      'Page not found | Acme',
      "<nav><a href='/'>Home</a></nav><main><h1>Oops! We can't find that page</h1><p>The page you are looking for may have been moved. Try searching, or go back to the home page.</p></main>",
    ),
    'fetch_http_status',
    'error page',
  ],
  [
    'a refusal',
    page(
      'Access Denied',
      '<h1>Access Denied</h1>You don\'t have permission to access "/x" on this server.<p>Reference #18.aa',
    ),
    'fetch_http_status',
    'error page',
  ],
  [
    'a robot check',
    page('Just a moment...', '<noscript>Enable JavaScript and cookies to continue</noscript><script>1</script>'),
    'fetch_http_status',
    'check for robots',
  ],
  [
    'a sign-in form',
    page(
      'Log in to Acme',
      '<form><h1>Log in</h1><input type="password"><a href="/f">Forgot password?</a><p>Create an account</p></form>',
    ),
    'fetch_http_status',
    'sign in',
  ],
  [
    'a paywall',
    page(
      'Our story | Daily',
      '<main><h1>Our story</h1><p>This content is only available to subscribers. Please log in to continue reading.</p><form><input type="password"></form></main>',
    ),
    'fetch_http_status',
    'sign in',
  ],
  [
    'a cookie wall',
    page(
      'Daily',
      '<div class="consent"><h1>Before you continue</h1><p>We and our partners use cookies for personalised advertising. You can accept all or reject all.</p></div>',
    ),
    'content_empty',
    'cookies',
  ],
  [
    'a shell',
    page(
      'App',
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="a.js"></script>',
    ),
    'content_empty',
    'scripts',
  ],
])('%s ends in a specific error', (_, html, code, message) => {
  expect(() => read(html)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
});

test.each([
  [
    '404 Media wins prize',
    '<article><h1>404 Media wins prize</h1><p>The site was honoured on Friday for its reporting.</p><p>Its four founders own it, and write most of it.</p></article>',
  ],
  [
    '403 Forbidden - HTTP',
    '<main><h1>403 Forbidden</h1><p>The 403 Forbidden client error response status code indicates that the server understood the request but refused to process it. It is similar to 401, except that authenticating makes no difference.</p><p>Clients that receive a 403 response should expect that repeating the request will fail with the same error, whatever they change in their headers.</p><h2>Examples</h2><p>The following example deletes a user. Only people with the right role are allowed to do that, as the body of the answer explains in detail. The client shows that sentence as it stands.</p></main>',
  ],
  [
    'How to enable JavaScript',
    '<article><h1>How to enable JavaScript</h1><p>Open the settings. Under Content, find JavaScript and allow it. Then reload what told you that JavaScript is required.</p></article>',
  ],
  ['Example Domain', '<h1>Example Domain</h1><p>This domain is for use in illustrative examples in documents.</p>'],
  [
    'Cookies we bake',
    '<article><h1>Cookies we bake</h1><p>We use butter, not margarine. Accept no less from your baker, and store the cookies in a tin for a week at most before you serve them to guests.</p></article>',
  ],
])('a short page about such obstacles is content: %s', (title, body) => {
  expect(read(page(title, body)).markdown).toContain(title.split(' - ')[0]);
});
