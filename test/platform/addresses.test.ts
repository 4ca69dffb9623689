import fc from 'fast-check';
import { createAddressRules } from '../../platform/addresses.ts';
import { refusedHosts } from '../support/refused-hosts.ts';

const rules = createAddressRules([]);

function rejectionOf(text: string): string | null {
  const check = rules.checkUrl(text);
  return check.ok ? null : check.reason;
}

describe('checkUrl', () => {
  test.each([
    'http://example.com/',
    'https://example.com:8443/a?b=c#d',
    'https://93.184.215.14/',
    'https://[2606:4700:4700::1111]/',
    'https://müller.example/ä',
    // Names are checked when they are resolved.
    'http://localhost/',
    'http://127.0.0.1.example.com/',
  ])('accepts %s', (text) => {
    expect(rejectionOf(text)).toBeNull();
  });

  test.each(refusedHosts)('rejects a literal address: %s %s', (_kind, host) => {
    expect(rejectionOf(`http://${host}/`)).toBe('must not lead to a private or reserved address');
    expect(rejectionOf(`https://${host}:8443/`)).toBe('must not lead to a private or reserved address');
  });

  test.each([
    ['ftp://example.com/', 'must be an http or https URL'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['http://user@example.com/', 'must not contain a user name or password'],
    ['http://:secret@example.com/', 'must not contain a user name or password'],
    ['http://example.com:0/', 'must not name port 0'],
    [`http://${'a'.repeat(254)}/`, 'must have a host of at most 253 characters'],
    ['http://[fe80::1%25eth0]/', 'must be a complete http or https URL'],
    ['example.com', 'must be a complete http or https URL'],
    ['http://', 'must be a complete http or https URL'],
    ['http://1.2.3.4.5/', 'must be a complete http or https URL'],
  ])('rejects the form of %s', (text, reason) => {
    expect(rejectionOf(text)).toBe(reason);
  });

  test('counts 2,048 characters as code points', () => {
    const start = 'https://example.com/';
    expect(rejectionOf(start + '🦊'.repeat(2048 - start.length))).toBeNull();
    expect(rejectionOf(start + 'a'.repeat(2049 - start.length))).toBe('must have at most 2,048 characters');
  });

  test('rejects every IPv4 address within IPv6, in every known form', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const forms = fc.constantFrom<(high: string, low: string) => string>(
      (high, low) => `::ffff:${high}:${low}`,
      (high, low) => `::${high}:${low}`,
      (high, low) => `64:ff9b::${high}:${low}`,
      (high, low) => `64:ff9b:1:${high}:${low}::`,
      (high, low) => `2002:${high}:${low}::1`,
    );
    fc.assert(
      fc.property(group, group, forms, (high, low, form) => {
        expect(rules.permits(form(high, low), 443)).toBe(false);
      }),
    );
  });

  test('rejects every spelling of a private IPv4 address', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const inPrivateRange = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    );
    const spellings = fc.constantFrom<(bytes: number[]) => string>(
      (bytes) => bytes.join('.'),
      (bytes) => bytes.map((part) => `0${part.toString(8)}`).join('.'),
      (bytes) => bytes.map((part) => `0x${part.toString(16)}`).join('.'),
      (bytes) => String(bytes.reduce((sum, part) => sum * 256 + part, 0)),
      (bytes) => `0x${bytes.map((part) => part.toString(16).padStart(2, '0')).join('')}`,
    );
    fc.assert(
      fc.property(inPrivateRange, spellings, (bytes, spell) => {
        expect(rejectionOf(`http://${spell(bytes)}/`)).not.toBeNull();
      }),
    );
  });
});

describe('exceptions of the operator', () => {
  const allowing = createAddressRules(['127.0.0.1:8080', '[::1]:9090', '10.0.0.1:443']);

  test('allow exactly that address with that port', () => {
    expect(allowing.permits('127.0.0.1', 8080)).toBe(true);
    expect(allowing.permits('127.0.0.1', 8081)).toBe(false);
    expect(allowing.permits('127.0.0.2', 8080)).toBe(false);
    expect(allowing.permits('::1', 9090)).toBe(true);
    expect(allowing.permits('0:0:0:0:0:0:0:1', 9090)).toBe(true);
    expect(allowing.permits('::ffff:127.0.0.1', 8080)).toBe(false);
  });

  test('apply in checkUrl, also to the default port and another spelling', () => {
    expect(allowing.checkUrl('http://0x7f.1:8080/').ok).toBe(true);
    expect(allowing.checkUrl('http://[::1]:9090/').ok).toBe(true);
    expect(allowing.checkUrl('https://10.0.0.1/').ok).toBe(true);
    expect(allowing.checkUrl('http://10.0.0.1/').ok).toBe(false);
  });

  test.each(['127.0.0.1', 'localhost:80', '999.0.0.1:80', '127.0.0.1:0', '127.0.0.1:70000', '::1:80', ''])(
    'that are not address:port are rejected: "%s"',
    (entry) => {
      expect(() => createAddressRules([entry])).toThrow(TypeError);
    },
  );

  test('do not allow hosts that are not addresses', () => {
    expect(allowing.permits('localhost', 8080)).toBe(false);
    expect(allowing.permits('2130706433', 8080)).toBe(false);
  });
});
