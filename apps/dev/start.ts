/** `npm start`: runs the whole service on this machine, with its data in a folder, until Ctrl-C. */
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadStartSettings, type StartSettings } from '../../platform/config.ts';
import { firstKey, keyFile } from './first-user.ts';
import { aborted, interruptSignal } from './interrupt.ts';
import { type RunningStack, startStack } from './stack.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

function startFromSettings(settings: StartSettings, dataFolder: string, signal: AbortSignal): Promise<RunningStack> {
  return startStack({
    dataFolder,
    durable: true,
    given: settings,
    ports: {
      postgres: settings.POSTGRES_PORT,
      temporal: settings.TEMPORAL_PORT,
      temporalUi: settings.TEMPORAL_UI_PORT,
      storage: settings.S3_PORT,
      mail: settings.SMTP_PORT,
    },
    apiPort: settings.API_PORT,
    service: settings.service,
    findKey: (database) => firstKey(database, dataFolder),
    report: say,
    signal,
  });
}

/** Returns the URL without its password, which is stored in the data folder. */
function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.href;
}

function printAddresses(stack: RunningStack, dataFolder: string, settings: StartSettings): void {
  const { apiUrl, workerUrl, key } = stack;
  const { DATABASE_URL = '', S3_ENDPOINT = '', SMTP_URL = '', TEMPORAL_ADDRESS = '', TEMPORAL_UI_URL } = stack.settings;
  const rows: [string, string][] = [
    ['API', `${apiUrl}/v1`],
    ['Health', `${apiUrl}/health`],
    ['Metrics', `${apiUrl}/metrics and ${workerUrl}/metrics`],
    ['Temporal UI', TEMPORAL_UI_URL ?? 'none: set TEMPORAL_UI_URL'],
    ['Temporal', TEMPORAL_ADDRESS],
    ['Database', withoutPassword(DATABASE_URL)],
    ['Storage (S3)', S3_ENDPOINT],
    ['Mail (SMTP)', settings.SMTP_URL === undefined ? `${SMTP_URL}, stored in ${join(dataFolder, 'mail')}` : SMTP_URL],
    ['Data', dataFolder],
    ['Logs', join(dataFolder, 'logs')],
    ['API key', key],
    ['', `stored in ${keyFile(dataFolder)}`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  say('');
  for (const [name, value] of rows) say(`  ${name.padEnd(width)}  ${value}`);
  const fromHere = relative(process.cwd(), keyFile(dataFolder));
  const file = fromHere.startsWith('..') ? keyFile(dataFolder) : fromHere;
  say(`
A first call:
  curl -s ${apiUrl}/v1/spaces -H "Authorization: Bearer $(cat ${file})" \\
    -H 'Content-Type: application/json' -d '{"name": "My project"}'

Ctrl-C stops everything; the next start uses the same data.`);
}

async function run(): Promise<number> {
  const settings = loadStartSettings();
  const dataFolder = resolve(settings.DATA_FOLDER ?? fileURLToPath(new URL('../../.data', import.meta.url)));
  const signal = interruptSignal();
  const startedAt = Date.now();
  let stack: RunningStack;
  try {
    stack = await startFromSettings(settings, dataFolder, signal);
  } catch (error) {
    if (signal.aborted) return 130;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  say(`All processes are up after ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
  printAddresses(stack, dataFolder, settings);
  const exitCode = await Promise.race([stack.ended.then(() => 1), aborted(signal).then(() => 0)]);
  const reason = exitCode === 0 ? 'Press Ctrl-C again to exit immediately.' : 'A process has ended unexpectedly.';
  say(`\nStopping. ${reason}`);
  await stack.stop();
  return exitCode;
}

process.exit(await run());
