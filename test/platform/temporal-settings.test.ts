/** Settings of the connection to Temporal: invalid ones are reported before anything starts. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, parseConfig, parseStartSettings } from '../../platform/config.ts';
import { connectionSettings } from '../../platform/temporal-settings.ts';
import { type Certificate, type CertificateAuthority, makeAuthority } from '../support/certificates.ts';

const others = {
  DATABASE_URL: 'postgresql://localhost/db',
  S3_ENDPOINT: 'http://localhost:7070',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  SECRETS_KEY: randomBytes(32).toString('base64'),
};
const API_KEY = 'eyJhbGciOiJFUzI1NiJ9.secret-part';

let folder: string;
let noPem: string;
let ours: Certificate;
let another: Certificate;
let authority: CertificateAuthority;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'context-workspace-settings-'));
  noPem = join(folder, 'no.pem');
  await writeFile(noPem, 'not a certificate');
  authority = await makeAuthority();
  [ours, another] = [await authority.issue('DNS:one.test'), await authority.issue('DNS:another.test')];
});
afterAll(() => Promise.all([authority?.remove(), rm(folder, { recursive: true, force: true })]));

const connection = (settings: Record<string, string>) => connectionSettings(parseConfig({ ...others, ...settings }));

/** The lines of the error, without its first. */
function issues(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}
const issuesOf = (settings: Record<string, string>) => issues(() => parseConfig({ ...others, ...settings }));

describe('a connection', () => {
  test('is plain by default', () => {
    expect(connection({ TEMPORAL_ADDRESS: 'temporal:7233' })).toEqual({ address: 'temporal:7233' });
    expect(connection({ TEMPORAL_TLS: 'false' })).toEqual({ address: '127.0.0.1:7233' });
  });

  test('uses TLS if it is set or implied by another setting', () => {
    expect(connection({ TEMPORAL_TLS: 'true' }).tls).toEqual({});
    expect(connection({ TEMPORAL_API_KEY: ` ${API_KEY}\n` })).toMatchObject({ tls: {}, apiKey: API_KEY });
    expect(connection({ TEMPORAL_TLS_SERVER_NAME: 'one.test' }).tls).toEqual({ serverNameOverride: 'one.test' });
    expect(connection({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.certFile }).tls).toMatchObject({
      serverRootCACertificate: expect.anything(),
    });
    const pair = { TEMPORAL_TLS_CLIENT_CERT_PATH: ours.certFile, TEMPORAL_TLS_CLIENT_KEY_PATH: ours.keyFile };
    expect(connection(pair).tls).toEqual({ clientCertPair: { crt: ours.cert, key: ours.key } });
  });
});

describe('is rejected and named:', () => {
  test('a file that is missing or has other content', () => {
    const missing = join(folder, 'missing.pem');
    expect(
      issuesOf({
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: missing,
        TEMPORAL_TLS_CLIENT_CERT_PATH: noPem,
        TEMPORAL_TLS_CLIENT_KEY_PATH: noPem,
      }),
    ).toEqual([
      `  TEMPORAL_TLS_SERVER_CA_CERT_PATH: ${missing} cannot be read (ENOENT)`,
      `  TEMPORAL_TLS_CLIENT_CERT_PATH: ${noPem} contains no certificate in PEM format`,
      `  TEMPORAL_TLS_CLIENT_KEY_PATH: ${noPem} contains no private key without a passphrase in PEM format`,
    ]);
  });

  test('a client certificate without key, a key without certificate, and a key of another certificate', () => {
    expect(issuesOf({ TEMPORAL_TLS_CLIENT_CERT_PATH: ours.certFile })).toEqual([
      '  TEMPORAL_TLS_CLIENT_KEY_PATH: must be set with TEMPORAL_TLS_CLIENT_CERT_PATH',
    ]);
    expect(issuesOf({ TEMPORAL_TLS_CLIENT_KEY_PATH: ours.keyFile })).toEqual([
      '  TEMPORAL_TLS_CLIENT_CERT_PATH: must be set with TEMPORAL_TLS_CLIENT_KEY_PATH',
    ]);
    expect(
      issuesOf({ TEMPORAL_TLS_CLIENT_CERT_PATH: ours.certFile, TEMPORAL_TLS_CLIENT_KEY_PATH: another.keyFile }),
    ).toEqual(['  TEMPORAL_TLS_CLIENT_KEY_PATH: is not the key of the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH']);
  });

  test('a setting that needs TLS while TEMPORAL_TLS is false', () => {
    const needTls = { TEMPORAL_TLS_SERVER_NAME: 'one.test', TEMPORAL_API_KEY: API_KEY };
    expect(issuesOf({ ...needTls, TEMPORAL_TLS: 'false' })).toEqual(
      Object.keys(needTls).map((name) => `  ${name}: needs TLS, which TEMPORAL_TLS=false turns off`),
    );
  });

  test('an API key that is not a valid header value, without showing it', () => {
    for (const key of ['two words', 'tw\u00f6', 'one\ntwo']) {
      const [line = '', ...more] = issuesOf({ TEMPORAL_API_KEY: key });
      expect(more).toEqual([]);
      expect(line).toMatch(/^ {2}TEMPORAL_API_KEY: /);
      expect(line).not.toContain(key);
    }
  });

  test('by npm start: TLS and API key for the Temporal that it starts itself', () => {
    expect(issues(() => parseStartSettings({ TEMPORAL_API_KEY: API_KEY, TEMPORAL_TLS: 'true' }))).toEqual(
      ['TEMPORAL_TLS', 'TEMPORAL_API_KEY'].map(
        (name) => `  ${name}: is for a Temporal that runs elsewhere: set TEMPORAL_ADDRESS too`,
      ),
    );
    const given = { TEMPORAL_API_KEY: API_KEY, TEMPORAL_ADDRESS: 'name.a1b2c.tmprl.cloud:7233' };
    expect(parseStartSettings(given).service).toEqual({ TEMPORAL_API_KEY: API_KEY });
  });
});
