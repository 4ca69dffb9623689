/** Connections to checked addresses: a name is resolved once, and only the addresses that were checked are used. */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { SourceError } from '../contract/errors.ts';
import { type AddressRules, bareHost, portOf } from './addresses.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Returns all addresses of a name; an error or an empty list means that the name does not resolve. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export type CheckedConnection = {
  rules: AddressRules;
  resolve: Resolve;
  /** Aborts the connection, also while it is being established. */
  signal: AbortSignal;
  /** Limit of all bytes received over the connection, headers and framing included. */
  maxReceivedBytes: number;
};

/**
 * Returns a connector for undici. It fails with SourceError `fetch_dns` or `fetch_blocked_address`, a system error, or
 * when `signal` is aborted. A connection that exceeds the byte limit is destroyed with `fetch_too_large`.
 */
export function checkedConnector(connection: CheckedConnection): buildConnector.connector {
  const { rules, resolve, signal } = connection;
  return (options, callback) => {
    const host = bareHost(options.hostname);
    permittedAddresses(host, portOf(options), rules, resolve).then(
      (addresses) => {
        if (signal.aborted) return callback(new Error('aborted'), null);
        const lookup: LookupFunction = (_hostname, lookupOptions, found) => {
          const first = addresses[0];
          if (lookupOptions.all === true || first === undefined) found(null, addresses);
          else found(null, first.address, first.family);
        };
        const connect = buildConnector({
          allowH2: false,
          maxCachedSessions: 0,
          timeout: CONNECT_TIMEOUT_MS,
          lookup,
          signal,
        });
        connect(options, (...result) => {
          if (result[0] === null) limitReceived(result[1], connection.maxReceivedBytes, host);
          callback(...result);
        });
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** Counts raw bytes, since interim responses, chunk extensions and codings that decode to nothing reach no reader. */
function limitReceived(socket: Socket, maxBytes: number, host: string): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxBytes) return;
    socket.destroy(new SourceError('fetch_too_large', `${host} sent more than ${maxBytes} bytes.`));
  });
}

async function permittedAddresses(
  host: string,
  port: number,
  rules: AddressRules,
  resolve: Resolve,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  const found = family === 0 ? await resolveName(host, resolve) : [{ address: host, family }];
  const permitted = found.filter(({ address }) => rules.permits(address, port));
  if (permitted.length === 0) {
    throw new SourceError('fetch_blocked_address', `${host} leads to a private or reserved address.`);
  }
  return permitted;
}

async function resolveName(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const failure = (cause?: unknown) =>
    new SourceError('fetch_dns', `The name ${host} could not be resolved.`, { cause });
  const found = await resolve(host).catch((error: unknown) => {
    throw failure(error);
  });
  if (found.length === 0) throw failure();
  return found;
}
