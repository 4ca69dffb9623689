/** Children that cannot be started are dependency trouble (ExtractionUnavailableError), not a failure of a document. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ExtractionUnavailableError } from '../../../contract/extraction-unavailable.ts';
import { createExtractionPool } from '../../../extraction/pool/pool.ts';
import { failureOf, fine, until } from './pool-work.ts';

const poolPath = fileURLToPath(new URL('../../../extraction/pool/pool.ts', import.meta.url));
/** Runs in its own user namespace, so that its limit on namespaces affects no other process. */
const SCRIPT = `
  import { writeFileSync } from 'node:fs';
  const { createExtractionPool } = await import(${JSON.stringify(poolPath)});
  const pool = createExtractionPool({ processes: 2, timeoutMs: 60000, memoryMb: 512, isolation: 'namespaces' });
  const read = () => pool.run('convert', { bytes: new TextEncoder().encode('x'), contentType: null, filename: null, url: null });
  const allow = (count) => writeFileSync('/proc/sys/user/max_user_namespaces', String(count));
  const report = { before: (await read()).markdown, wasAvailable: pool.isAvailable() };
  allow(0);
  for (const pid of pool.pids()) process.kill(pid, 'SIGKILL');
  const errors = [];
  while (errors.at(-1)?.name !== 'ExtractionUnavailableError') {
    await read().catch((error) => errors.push(error));
  }
  Object.assign(report, { reason: errors.at(-1).reason, message: errors.at(-1).message, isAvailable: pool.isAvailable() });
  allow(1000);
  // The pool recovers without a task.
  while (!pool.isAvailable()) await new Promise((resolve) => setTimeout(resolve, 20));
  report.after = (await read()).markdown;
  await pool.close();
  console.log(JSON.stringify(report));
`;

test('while no child can be started, tasks fail with ExtractionUnavailableError; later tasks succeed', async () => {
  const child = spawn(
    'unshare',
    [
      '--user',
      '--map-root-user',
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      SCRIPT,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH } },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  expect(JSON.parse(output)).toEqual({
    before: 'x\n',
    wasAvailable: true,
    reason: 'failing',
    message: expect.stringMatching(/^processes that read documents cannot be started: .*unshare: .*No space left/),
    isAvailable: false,
    after: 'x\n',
  });
});

test('a child that is not ready in time is killed, and waiting tasks fail with ExtractionUnavailableError', async () => {
  const pool = createExtractionPool({ processes: 1, timeoutMs: 60_000, memoryMb: 512, child: { readyWithinMs: 1 } });
  try {
    const error = await failureOf(pool.run('convert', fine));
    expect(error).toBeInstanceOf(ExtractionUnavailableError);
    expect(error).toMatchObject({ reason: 'timeout' });
    await until(() => pool.pids().length === 0);
  } finally {
    await pool.close();
  }
});
