/** Loads docker-compose.yml as Docker Compose does. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findGo } from '../../apps/dev/binaries/go-build.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

const projectSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      command: z.array(z.string()).nullish(),
      environment: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
export type ComposeService = z.infer<typeof projectSchema>['services'][string];

/** Example `.env`: the secrets without a default. */
export const composeSecrets = {
  POSTGRES_PASSWORD: 'of-the-superuser',
  DATABASE_PASSWORD: 'of-the-service',
  DATABASE_OWNER_PASSWORD: 'of-the-owner',
  TEMPORAL_DATABASE_PASSWORD: 'of-temporal',
  S3_ACCESS_KEY_ID: 'key-id',
  S3_SECRET_ACCESS_KEY: 'key-secret',
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
};

export interface LoadedCompose {
  services: Record<string, ComposeService>;
  /** Warnings that Compose prints to stderr. */
  warnings: string;
}

/**
 * Loads docker-compose.yml with the Go library of Docker Compose (tools/compose).
 * @param environment all variables for the file's `${...}`; the process environment is not used.
 * @param overrides further Compose files, relative to the project.
 * @throws with Compose's message when it rejects a file.
 */
export async function loadCompose(
  environment: Readonly<Record<string, string>>,
  overrides: readonly string[] = [],
): Promise<LoadedCompose> {
  const { go, reason } = await findGo(process.env);
  if (go === undefined) throw new Error(`Go is required to load docker-compose.yml, but ${reason}.`);
  const { PATH = '', HOME = '', GOPROXY, GOCACHE, GOMODCACHE } = process.env;
  const ofGo = { PATH, HOME, GOPROXY, GOCACHE, GOMODCACHE, GOTOOLCHAIN: 'local' };
  const args = [
    'run',
    '-mod=readonly',
    '.',
    ...['docker-compose.yml', ...overrides].map((file) => fileURLToPath(new URL(file, root))),
  ];
  const { stdout, stderr } = await run(go, args, {
    cwd: new URL('tools/compose/', root),
    env: { ...ofGo, ...environment },
  });
  return { services: projectSchema.parse(JSON.parse(stdout)).services, warnings: stderr };
}
