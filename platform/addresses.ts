/**
 * Which addresses the service may connect to: public unicast ones, and those that the operator named together with a
 * port. What cannot be judged is refused.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Unicode code points that a URL given by a user may have. */
const URL_MAX_LENGTH = 2048;
/** Characters of a name in DNS (RFC 1035 section 2.3.4); longer ones would only fill messages. */
const HOST_MAX_LENGTH = 253;

/** All public IPv6 unicast lies in here (IANA IPv6 address space); the rest, `::7f00:1` for one, is refused. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's metadata and agent endpoint, the one cloud metadata address that lies among the public ones. */
const azureWireServer = ipaddr.IPv4.parse('168.63.129.16');

export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

export type AddressRules = {
  /** Whether a connection to this address (as text, without brackets) and port may be made. */
  permits(address: string, port: number): boolean;
  /**
   * Judges a URL as a user sent it, without resolving names: http or https, no user name or password, no port 0
   * or of mail servers, at most 2,048 characters (253 of the host), and no refused literal address in any spelling that the URL standard reads as one (decimal,
   * octal, hexadecimal, IPv4 within IPv6). `reason` reads on from the name of the field: "must be ...".
   */
  checkUrl(text: string): UrlCheck;
};

/**
 * The rules with the exceptions in `allow`, each `address:port` or `[address]:port`.
 * @throws TypeError naming the entry that is not of that form.
 */
export function createAddressRules(allow: readonly string[]): AddressRules {
  const allowed = new Set(allow.map(allowedKey));

  function permits(address: string, port: number): boolean {
    if (isIP(address) === 0) return false;
    const parsed = ipaddr.parse(address);
    return isPublic(parsed) || allowed.has(`${parsed.toString()} ${port}`);
  }

  function checkUrl(text: string): UrlCheck {
    // Its code units, at most twice as many, are counted without looking at each.
    if (text.length > 2 * URL_MAX_LENGTH || [...text].length > URL_MAX_LENGTH)
      return { ok: false, reason: 'must have at most 2,048 characters' };
    const url = URL.parse(text);
    if (url === null) return { ok: false, reason: 'must be a complete http or https URL' };
    const reason = formRefusal(url);
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
 * SMTP, POP3, IMAP and ManageSieve, with and without TLS. These servers take lines of an HTTP request for commands; the
 * Fetch Standard (section 2.9) refuses them, too.
 */
const mailPorts = new Set(['25', '109', '110', '143', '220', '465', '587', '993', '995', '2525', '4190']);

/** Why the form of this URL is refused, whatever its host; null when it is not. */
export function formRefusal(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not name port 0';
  if (mailPorts.has(url.port)) return 'must not name a port of mail servers';
  if (url.hostname.length > HOST_MAX_LENGTH) return 'must have a host of at most 253 characters';
  return null;
}

/** The host of a URL without the brackets around an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The port of an http or https URL, also where it is the default and therefore not written. */
export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // 'unicast' is what ipaddr.js calls an address in none of its special ranges: mapped, NAT64, 6to4 and Teredo are.
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== azureWireServer.toString();
  return address.match(globalUnicast) && !isIsatap(address);
}

/** ISATAP (RFC 5214) carries an IPv4 address behind the interface identifier 0000:5efe or 0200:5efe, in any prefix. */
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
