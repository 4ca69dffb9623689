/** Settings of the connection to Temporal, named as in Temporal's own environment configuration. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from '@temporalio/client';
import { z } from 'zod';

/** Schema for the path of a PEM file, which is read immediately; `parse` throws for an invalid content. */
function pemFile(kind: string, parse: (pem: Buffer) => unknown) {
  return z.string().superRefine((path, context) => {
    let pem: Buffer;
    try {
      pem = readFileSync(path);
    } catch (error) {
      const reason = typeof error === 'object' && error !== null && 'code' in error ? ` (${error.code})` : '';
      context.addIssue({ code: 'custom', message: `${path} cannot be read${reason}` });
      return;
    }
    try {
      parse(pem);
    } catch {
      context.addIssue({ code: 'custom', message: `${path} contains no ${kind} in PEM format` });
    }
  });
}
const certificateFile = pemFile('certificate', (pem) => new X509Certificate(pem));
const keyFile = pemFile('private key without a passphrase', createPrivateKey);

export const temporalSettings = {
  TEMPORAL_ADDRESS: z.string().min(1).default('127.0.0.1:7233').describe("`host:port` of Temporal's frontend"),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default').describe('Namespace of all workflows'),
  TEMPORAL_TLS: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .meta({
      description: 'Whether connections to Temporal use TLS',
      defaultText: '`true` if one of the next five is set, else `false`',
    }),
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional().meta({
    description: "Name that is expected in the server's certificate",
    defaultText: 'host of `TEMPORAL_ADDRESS`',
  }),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificateFile.optional().meta({
    description: "PEM file with the CA of the server's certificate",
    defaultText: 'the CAs of Node.js and of the system',
  }),
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificateFile
    .optional()
    .describe('PEM file with the certificate of the service, for mTLS'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: keyFile.optional().describe('PEM file with its private key, without a passphrase'),
  TEMPORAL_API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters')
    .optional()
    .describe('API key, sent with each call as `authorization: Bearer`; never logged'),
};

export type TemporalSettings = z.infer<z.ZodObject<typeof temporalSettings>>;

const NEEDING_TLS = [
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
  'TEMPORAL_API_KEY',
] as const;

/** Settings that secure a connection. */
export const TEMPORAL_SECURITY_SETTINGS = ['TEMPORAL_TLS', ...NEEDING_TLS] as const;

export interface SettingIssue {
  setting: string;
  message: string;
}

/** Returns the issues of settings that are valid on their own and conflict with each other. */
export function temporalConflicts(settings: Partial<TemporalSettings>): SettingIssue[] {
  if (settings.TEMPORAL_TLS === false) {
    return NEEDING_TLS.filter((setting) => settings[setting] !== undefined).map((setting) => ({
      setting,
      message: 'needs TLS, which TEMPORAL_TLS=false turns off',
    }));
  }
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key } = settings;
  if (certificate === undefined && key === undefined) return [];
  if (key === undefined) {
    return [{ setting: 'TEMPORAL_TLS_CLIENT_KEY_PATH', message: 'must be set with TEMPORAL_TLS_CLIENT_CERT_PATH' }];
  }
  if (certificate === undefined) {
    return [{ setting: 'TEMPORAL_TLS_CLIENT_CERT_PATH', message: 'must be set with TEMPORAL_TLS_CLIENT_KEY_PATH' }];
  }
  const isPair = new X509Certificate(readFileSync(certificate)).checkPrivateKey(createPrivateKey(readFileSync(key)));
  if (isPair) return [];
  return [
    {
      setting: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
      message: 'is not the key of the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH',
    },
  ];
}

/** Returns the connection options of clients and workers. Reads the files that the settings name. */
export function connectionSettings(
  settings: Omit<TemporalSettings, 'TEMPORAL_NAMESPACE'>,
): Pick<ConnectionOptions, 'address' | 'tls'> & { apiKey?: string } {
  const {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TLS_SERVER_NAME: serverNameOverride,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca,
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificate,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
    TEMPORAL_API_KEY: apiKey,
  } = settings;
  const usesTls = settings.TEMPORAL_TLS ?? NEEDING_TLS.some((setting) => settings[setting] !== undefined);
  if (!usesTls) return { address };
  return {
    address,
    tls: {
      ...(serverNameOverride === undefined ? {} : { serverNameOverride }),
      ...(ca === undefined ? {} : { serverRootCACertificate: readFileSync(ca) }),
      ...(certificate === undefined || key === undefined
        ? {}
        : { clientCertPair: { crt: readFileSync(certificate), key: readFileSync(key) } }),
    },
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}
