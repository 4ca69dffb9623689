/** `npm run check:openapi`: lints the API's OpenAPI document with redocly by the rules of redocly.yaml. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../../apps/api/openapi/document.ts';
import { appRouter } from '../../apps/api/routers/index.ts';

const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
try {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(openApiDocument(appRouter, 'https://context-workspace.dev'), null, 2));
  const redocly = spawn('redocly', ['lint', file, '--config', 'redocly.yaml', '--format', 'stylish'], {
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const [code] = await once(redocly, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
