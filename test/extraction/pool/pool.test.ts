/** Extraction pool: tasks, order, replacement and shutdown of children. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SourceError } from '../../../contract/errors.ts';
import { defaultLimits } from '../../../extraction/limits.ts';
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { contentOf } from '../content.ts';
import { makePdf } from '../pdf-fixture.ts';
import { endless, failureOf, fine, isAlive, until, untilBusy } from './pool-work.ts';

let pool: ExtractionPool;
afterEach(() => pool.close());

test('each task returns its typed result, and read combines convert and context', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  const converted = await pool.run('convert', fine);
  expect(converted).toMatchObject({ format: 'markdown', markdown: '# Fine\n\nAll is well.\n' });
  const { markdown, context } = await pool.run('read', fine);
  expect(markdown).toBe(converted.markdown);
  expect(context).toMatchObject({
    format: 'markdown',
    title: 'Fine',
    reading: { parser: expect.stringMatching(/ \d/) },
  });
  const withLink = contentOf('See [it](https://example.com/).');
  const artifacts = await pool.run('readArtifacts', withLink);
  expect(artifacts).toMatchObject([{ kind: 'link', content: 'https://example.com/' }]);
  expect(await pool.run('artifacts', { markdown: 'See [it](https://example.com/).' })).toEqual(artifacts);
  const pdf = await pool.run('read', contentOf(makePdf([['# Report', 'Water boils.']])));
  expect(pdf.context).toMatchObject({ format: 'pdf', title: 'Report' });
});

test('read includes the artifacts, unless they are too many: the task `artifacts` then fails', async () => {
  const limits = { ...defaultLimits, artifacts: 3 };
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512, limits });
  const links = (count: number) =>
    `${'Some words. '.repeat(1_000)}\n\n${Array.from({ length: count }, (_, at) => `[a](https://a.example/${at})`).join('\n\n')}`;
  const few = await pool.run('read', contentOf(links(3)));
  expect(few.artifacts).toHaveLength(3);
  expect(few.artifacts).toEqual(await pool.run('artifacts', { markdown: few.markdown }));
  const many = await pool.run('read', contentOf(links(4)));
  expect(many.artifacts).toBeNull();
  expect(await failureOf(pool.run('artifacts', { markdown: many.markdown }))).toMatchObject({
    code: 'extraction_limit',
  });
  const joined = await pool.run('readJoined', few.markdown);
  expect(joined).toMatchObject({ context: { format: 'composition' }, artifacts: few.artifacts });
});

test('a SourceError of the child keeps its code, message and retryable', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  const error = await failureOf(pool.run('convert', contentOf('  \n')));
  const expected = new SourceError('content_empty', 'The content contains only white space.');
  expect(error).toBeInstanceOf(SourceError);
  expect(error).toMatchObject({ code: 'content_empty', message: expected.message, retryable: false });
});

test('any other error of the child is internal, with its stack only in the cause', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  // @ts-expect-error: an invalid argument, as a bug would send it
  const error = await failureOf(pool.run('artifacts', { markdown: null }));
  expect(error).toMatchObject({ code: 'internal', cause: { name: 'TypeError', message: expect.any(String) } });
  expect(error instanceof Error && error.message).not.toMatch(/TypeError|at .*:\d+/);
});

test('aborting a waiting task removes it and leaves the running one alone', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  const first = pool.run('read', fine);
  const controller = new AbortController();
  const second = failureOf(pool.run('read', fine, { signal: controller.signal }));
  const third = pool.run('read', fine);
  controller.abort();
  expect(await second).toMatchObject({ name: 'AbortError' });
  expect(await first).toMatchObject({ markdown: expect.any(String) });
  expect(await third).toMatchObject({ markdown: expect.any(String) });
  const [pid] = pool.pids();
  const late = failureOf(pool.run('read', fine, { signal: AbortSignal.abort() }));
  expect(await late).toMatchObject({ name: 'AbortError' });
  expect(pool.pids()).toEqual([pid]);
});

test('a child that is killed from outside is replaced; its task fails as retryable, not as file_damaged', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 60_000, memoryMb: 4096 });
  await pool.run('convert', fine);
  const [pid = 0] = pool.pids();
  const running = failureOf(pool.run('readJoined', endless));
  await untilBusy(pid);
  process.kill(pid, 'SIGKILL');
  expect(await running).toMatchObject({ code: 'internal', retryable: true });
  expect(await pool.run('convert', fine)).toMatchObject({ format: 'markdown' });
  expect(pool.pids()).not.toContain(pid);
});

test('a child that crashes by its own signal fails the task as file_damaged', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 60_000, memoryMb: 4096 });
  await pool.run('convert', fine);
  const [pid = 0] = pool.pids();
  const running = failureOf(pool.run('readJoined', endless));
  await untilBusy(pid);
  process.kill(pid, 'SIGSEGV');
  expect(await running).toMatchObject({ code: 'file_damaged' });
  expect(await pool.run('convert', fine)).toMatchObject({ format: 'markdown' });
});

test('tasks beyond the number of children wait in first-in, first-out order', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  const order: string[] = [];
  const texts = Array.from({ length: 12 }, (_, index) => `text ${index}\n`);
  await Promise.all(
    texts.map(async (text) => {
      order.push((await pool.run('convert', contentOf(text))).markdown);
    }),
  );
  expect(order).toEqual(texts);
});

test('all configured children work concurrently', async () => {
  pool = createExtractionPool({ processes: 2, timeoutMs: 20_000, memoryMb: 4096 });
  const controller = new AbortController();
  const running = [1, 2].map(() => failureOf(pool.run('readJoined', endless, { signal: controller.signal })));
  await until(() => pool.pids().length === 2);
  await Promise.all(pool.pids().map((pid) => untilBusy(pid)));
  controller.abort();
  await Promise.all(running);
});

test('a child is replaced after the configured number of tasks', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512, recycleAfter: 2 });
  const seen = new Set<number>();
  for (let index = 0; index < 4; index += 1) {
    await pool.run('convert', fine);
    for (const pid of pool.pids()) seen.add(pid);
  }
  await pool.run('convert', fine);
  for (const pid of pool.pids()) seen.add(pid);
  expect(seen.size).toBeGreaterThanOrEqual(3);
});

test('children get no environment variables of the worker', async () => {
  process.env.SECRET_OF_THE_TEST = 'hunter2';
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  await pool.run('convert', fine);
  const environment = readFileSync(`/proc/${pool.pids()[0]}/environ`, 'utf8');
  delete process.env.SECRET_OF_THE_TEST;
  expect(environment).not.toContain('hunter2');
  expect(environment).not.toContain('PATH=');
});

test('close stops every child and rejects running and later tasks', async () => {
  pool = createExtractionPool({ processes: 2, timeoutMs: 20_000, memoryMb: 4096 });
  await pool.run('convert', fine);
  const pids = pool.pids();
  const running = failureOf(pool.run('readJoined', endless));
  await pool.close();
  expect(await running).toMatchObject({ code: 'internal' });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await failureOf(pool.run('convert', fine))).toMatchObject({ code: 'internal' });
});

test('a busy child exits when its parent is killed', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  const poolPath = fileURLToPath(new URL('../../../extraction/pool/pool.ts', import.meta.url));
  const script = `
    const { createExtractionPool } = await import(${JSON.stringify(poolPath)});
    const pool = createExtractionPool({ processes: 1, timeoutMs: 60000, memoryMb: 4096 });
    await pool.run('convert', { bytes: new TextEncoder().encode('x'), contentType: null, filename: null, url: null });
    pool.run('readJoined', '- a b c\\n\\n'.repeat(2000000));
    console.log(pool.pids()[0]);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (data: Buffer) => resolve(Number(data.toString())));
  });
  await untilBusy(pid);
  parent.kill('SIGKILL');
  await until(() => !isAlive(pid));
});
