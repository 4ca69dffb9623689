/**
 * Addresses to which the service may connect: public unicast ones, and `address:port` exceptions of the operator
 * (EGRESS_ALLOW). Addresses that cannot be classified are rejected.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longest URL of a user, in Unicode code points. */
const URL_MAX_LENGTH = 2048;
/** Longest DNS name in characters (RFC 1035 section 2.3.4); also bounds the length of messages. */
const HOST_MAX_LENGTH = 253;

/** All public IPv6 unicast addresses (IANA IPv6 address space); others, such as `::7f00:1`, are rejected. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's metadata and agent endpoint, the only cloud metadata address in a public range. */
const azureWireServer = ipaddr.IPv4.parse('168.63.129.16');

export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

export type AddressRules = {
  /** Whether a connection to this address (text without brackets) and port is allowed. */
  permits(address: string, port: number): boolean;
  /**
   * Checks a URL of a user without resolving names: http or https, no user name or password, no port 0 or port of mail
   * servers, at most 2,048 characters (host: 253), and no forbidden literal address in any notation of the URL standard
   * (decimal, octal, hexadecimal, IPv4 within IPv6). `reason` continues the name of the field: "must be ...".
   */
  checkUrl(text: string): UrlCheck;
};

/**
 * Returns the rules with the exceptions in `allow`, each `address:port` or `[address]:port`.
 * @throws TypeError that names an invalid entry.
 */
export function createAddressRules(allow: readonly string[]): AddressRules {
  const allowed = new Set(allow.map(allowedKey));

  function permits(address: string, port: number): boolean {
    if (isIP(address) === 0) return false;
    const parsed = ipaddr.parse(address);
    return isPublic(parsed) || allowed.has(`${parsed.toString()} ${port}`);
  }

  function checkUrl(text: string): UrlCheck {
    // First a cheap test: a text has at most two code units per code point.
    if (text.length > 2 * URL_MAX_LENGTH || [...text].length > URL_MAX_LENGTH)
      return { ok: false, reason: 'must have at most 2,048 characters' };
    const url = URL.parse(text);
    if (url === null) return { ok: false, reason: 'must be a complete http or https URL' };
    const reason = urlFormError(url);
    if (reason !== null) return { ok: false, reason };
    const host = bareHost(url.hostname);
    if (isIP(host) !== 0 && !permits(host, portOf(url))) {
      return { ok: false, reason: 'must not lead to a private or reserved address' };
    }
    return { ok: true, url };
  }

  return { permits, checkUrl };
}

/**
 * Ports of SMTP, POP3, IMAP and ManageSieve, with and without TLS. These servers interpret lines of an HTTP request as
 * commands; the Fetch Standard (section 2.9) blocks them, too.
 */
const mailPorts = new Set(['25', '109', '110', '143', '220', '465', '587', '993', '995', '2525', '4190']);

/** Returns why this URL is invalid, apart from the address of its host; null if it is valid. */
export function urlFormError(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not name port 0';
  if (mailPorts.has(url.port)) return 'must not name a port of mail servers';
  if (url.hostname.length > HOST_MAX_LENGTH) return 'must have a host of at most 253 characters';
  return null;
}

/** Returns the host of a URL without the brackets around an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Returns the port of an http or https URL, including the default ports. */
export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // ipaddr.js: 'unicast' is an address in none of its special ranges, which include mapped, NAT64, 6to4 and Teredo.
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== azureWireServer.toString();
  return address.match(globalUnicast) && !isIsatap(address);
}

/** ISATAP (RFC 5214): an IPv4 address after the interface identifier 0000:5efe or 0200:5efe, with any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return (address.parts[4] === 0 || address.parts[4] === 0x0200) && address.parts[5] === 0x5efe;
}

function allowedKey(entry: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(entry);
  const address = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  if (isIP(address) === 0 || !(port >= 1 && port <= 65_535)) {
    throw new TypeError(`"${entry}" is not address:port`);
  }
  return `${ipaddr.parse(address).toString()} ${port}`;
}
