import { SourceError } from '../../contract/errors.ts';
import { egressError, parseRetryAfter, statusError } from '../../platform/egress-errors.ts';

const now = new Date('1994-11-06T08:49:30.000Z');

describe('parseRetryAfter', () => {
  test.each([
    ['seconds', '120', 120_000],
    ['no wait', '0', 0],
    ['white space around', ' 5 ', 5000],
    ['an IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', 7000],
    ['an RFC 850 date', 'Sunday, 06-Nov-94 08:49:37 GMT', 7000],
    ['an asctime date', 'Sun Nov  6 08:49:37 1994', 7000],
    ['a date in the past', 'Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ])('reads %s', (_form, value, milliseconds) => {
    expect(parseRetryAfter(value, now)).toBe(milliseconds);
  });

  test.each(['', 'soon', '-1', '1.5', '1e3', '2030', 'Sun, 99 Foo 1994', undefined, null])('ignores %p', (value) => {
    // A bare "2030" is seconds; the others are undefined.
    expect(parseRetryAfter(value, now)).toBe(value === '2030' ? 2_030_000 : undefined);
  });
});

describe('statusError', () => {
  test.each([200, 201, 204, 299])('%d is not an error', (status) => {
    expect(statusError(status, {}, now)).toBeNull();
  });

  test.each([408, 429, 500, 502, 503, 504])('%d is retryable and carries Retry-After', (status) => {
    expect(statusError(status, { 'retry-after': '7' }, now)).toMatchObject({
      code: 'fetch_http_status',
      retryable: true,
      retryAfterMs: 7000,
    });
    expect(statusError(status, {}, now)).toMatchObject({ retryable: true, retryAfterMs: undefined });
  });

  test.each([
    [302, 'That is a redirect without a usable target: use the address of the page itself.'],
    [304, 'That means "not modified", but the request had no condition: refresh the source later.'],
    [401, 'Check that the URL opens without signing in.'],
    [403, 'Check that the URL opens without signing in.'],
    [404, 'Nothing exists at this address: check the URL.'],
    [418, 'Check that the URL opens in a browser.'],
    [429, 'It receives too many requests: refresh the source later.'],
    [503, 'It has a problem: refresh the source later.'],
  ])('%d says what to do', (status, remedy) => {
    expect(statusError(status, {}, now)?.message).toBe(`The server returned status ${status}. ${remedy}`);
  });

  test.each([302, 304, 400, 401, 403, 404, 410])('%d is final', (status) => {
    expect(statusError(status, { 'retry-after': '7' }, now)).toMatchObject({
      code: 'fetch_http_status',
      retryable: false,
      retryAfterMs: undefined,
    });
  });
});

describe('egressError', () => {
  const withCode = (code: string) => Object.assign(new Error('x'), { code });

  test.each([
    ['ECONNREFUSED', 'fetch_connection'],
    ['ECONNRESET', 'fetch_connection'],
    ['EHOSTUNREACH', 'fetch_connection'],
    ['UND_ERR_SOCKET', 'fetch_connection'],
    ['ETIMEDOUT', 'fetch_timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'fetch_timeout'],
    ['CERT_HAS_EXPIRED', 'fetch_tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'fetch_tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'fetch_tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'fetch_tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'fetch_tls'],
    ['EPROTO', 'fetch_tls'],
  ])('%s is %s', (code, expected) => {
    expect(egressError(withCode(code), 'example.com')).toMatchObject({ code: expected });
  });

  test('uses the first error of several addresses, and the cause', () => {
    expect(egressError(new AggregateError([withCode('ECONNREFUSED')]), 'a')).toMatchObject({
      code: 'fetch_connection',
    });
    expect(egressError(new Error('x', { cause: withCode('EPROTO') }), 'a')).toMatchObject({ code: 'fetch_tls' });
  });

  test('returns errors unchanged that are not of the network', () => {
    const bug = new TypeError('undefined is not a function');
    expect(egressError(bug, 'a')).toBe(bug);
    const noHandles = withCode('EMFILE');
    expect(egressError(noHandles, 'a')).toBe(noHandles);
    const classified = new SourceError('fetch_dns', 'x');
    expect(egressError(classified, 'a')).toBe(classified);
  });
});
