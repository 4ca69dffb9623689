import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const config = new URL('../../platform/config.ts', import.meta.url);

/** Number of threads that the first lookup of a name adds to a process. */
async function threadsForLookups(count: number): Promise<number> {
  const script = `
    import { readFileSync } from 'node:fs';
    import { lookup } from 'node:dns/promises';
    import { allowLookups } from '${config}';
    const threads = () => Number(/^Threads:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    allowLookups(${count});
    const before = threads();
    await lookup('localhost');
    console.log(threads() - before);`;
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  return Number(stdout);
}

// Only Linux has /proc/self/status.
(process.platform === 'linux' ? test : test.skip)(
  'allowLookups(20) gives the process 40 threads; libuv uses at most half of them for lookups',
  async () => {
    expect(await threadsForLookups(20)).toBe(40);
  },
);
