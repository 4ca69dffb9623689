/** docker-compose.yml as Docker Compose understands it. */
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

/** What a person writes to `.env`: the secrets that have no default. */
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
  /** What Compose would write to the terminal besides. */
  warnings: string;
}

/**
 * Loads docker-compose.yml with the library of Docker Compose itself (tools/compose), which Go runs.
 * @param environment the variables that the file's `${...}` are replaced by; nothing else is known there.
 * @param overrides further files, relative to the project.
 * @throws with Compose's own words where it refuses the file.
 */
export async function loadCompose(
  environment: Readonly<Record<string, string>>,
  overrides: readonly string[] = [],
): Promise<LoadedCompose> {
  const { go, reason } = await findGo(process.env);
  if (go === undefined) throw new Error(`docker-compose.yml is loaded by a program in Go, but ${reason}.`);
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
