/** Certificates for tests of TLS, made with openssl. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface Certificate {
  certFile: string;
  keyFile: string;
  cert: Buffer;
  key: Buffer;
}

export interface CertificateAuthority {
  certFile: string;
  cert: Buffer;
  /** @param names Subject alternative names, such as `IP:127.0.0.1` or `DNS:temporal.test`. */
  issue(names: string): Promise<Certificate>;
  /** Removes all files of the authority. */
  remove(): Promise<void>;
}

/** Creates a new CA in a temporary folder. */
export async function makeAuthority(): Promise<CertificateAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-ca-'));
  const file = (name: string) => join(folder, name);
  const [caKey, caCert] = [file('ca.key'), file('ca.crt')];
  await run('openssl', ['req', '-x509', ...newKey, '-keyout', caKey, '-out', caCert, '-days', '2', '-subj', '/CN=CA']);
  return {
    certFile: caCert,
    cert: await readFile(caCert),
    remove: () => rm(folder, { recursive: true, force: true }),
    async issue(names) {
      const name = randomUUID();
      const [keyFile, request, certFile] = [file(`${name}.key`), file(`${name}.csr`), file(`${name}.crt`)];
      await run('openssl', ['req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', `/CN=${name}`]);
      await writeFile(file(`${name}.ext`), `subjectAltName=${names}\n`);
      await run('openssl', [
        ...['x509', '-req', '-in', request, '-CA', caCert, '-CAkey', caKey, '-CAcreateserial', '-days', '2'],
        ...['-extfile', file(`${name}.ext`), '-out', certFile],
      ]);
      return { keyFile, certFile, key: await readFile(keyFile), cert: await readFile(certFile) };
    },
  };
}
