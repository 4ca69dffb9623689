import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const config = new URL('../../platform/config.ts', import.meta.url);

/** The threads that a process has more once it has looked up a name. */
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

// Only Linux tells the threads of a process.
(process.platform === 'linux' ? test : test.skip)(
  'a name whose server is silent holds up no other: there are two threads for each look-up allowed, half of them for look-ups',
  async () => {
    expect(await threadsForLookups(20)).toBe(40);
  },
);
