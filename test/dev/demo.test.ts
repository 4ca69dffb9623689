/** `npm run demo` as a process. Its temporary folder is in a folder of the test, so that leftovers are found. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Spawned, spawned } from './spawned.ts';
import { processesNaming, temporaryFolder } from './temporary.ts';

const TIMEOUT_MS = 120_000;
/** Built once for the file, so that no start builds the bundle again. */
let WORKFLOW_BUNDLE: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-bundle-'));
  WORKFLOW_BUNDLE = join(folder, 'workflows.js');
  const script = join(import.meta.dirname, '../../apps/worker/bundle.ts');
  await promisify(execFile)(process.execPath, [script, WORKFLOW_BUNDLE]);
});
afterAll(() => rm(dirname(WORKFLOW_BUNDLE), { recursive: true, force: true }));

async function startDemo(
  settings: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<{ demo: Spawned; folder: string }> {
  const folder = await temporaryFolder();
  return { demo: spawned('demo.ts', folder, { TMPDIR: folder, WORKFLOW_BUNDLE, ...settings }, args), folder };
}

async function expectNothingLeft(folder: string): Promise<void> {
  expect(await processesNaming(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
}

test(
  'all 14 checks succeed; with --keep the Temporal UI shows each run, and Ctrl-C leaves no process or file',
  async () => {
    const { demo, folder } = await startDemo({}, ['--keep']);
    await demo.prints('The service runs until Ctrl-C');
    expect(demo.output()).not.toContain('✗');
    expect(demo.output().match(/✓/g)).toHaveLength(14);
    const links = [...demo.output().matchAll(/(http:\S+)(\/namespaces\/default\/workflows\/source-\S+)/g)];
    expect(links).toHaveLength(6);
    for (const [link, ui, path] of links) {
      expect((await fetch(link)).status).toBe(200);
      // The page is the same for every path and reads its data from here.
      expect((await fetch(`${ui}/api/v1${path}`)).status).toBe(200);
    }
    demo.signal('SIGINT');
    expect(await demo.ended).toBe(0);
    await expectNothingLeft(folder);
  },
  TIMEOUT_MS,
);

test(
  'a failed check is printed with its reason, and the exit code is 1',
  async () => {
    // Less than the page has: the fetch fails, and the composition fails with its member.
    const { demo, folder } = await startDemo({ FETCH_MAX_BYTES: '100' });
    expect(await demo.ended).toBe(1);
    const output = demo.output();
    expect(output).toMatch(/✗ The URI source contains .*\n +It is FAILED, fetch_too_large/);
    expect(output).toMatch(/✗ The COMPOSITION contains .*\n +It is FAILED, member_failed/);
    expect(output).toMatch(/✗ One signed postback .*\n +It says source\.failed/);
    expect(output).toContain('✓ The FILE source contains a sentence of the PDF');
    await expectNothingLeft(folder);
  },
  TIMEOUT_MS,
);

test.each(['Starting PostgreSQL', 'Starting the worker'])(
  'Ctrl-C after "%s" ends with 130 and leaves no process or file',
  async (moment) => {
    const { demo, folder } = await startDemo();
    await demo.prints(moment);
    // Under npm a Ctrl-C arrives twice: from the terminal, and from npm.
    demo.signal('SIGINT');
    demo.signal('SIGINT');
    expect(await demo.ended).toBe(130);
    await expectNothingLeft(folder);
  },
  TIMEOUT_MS,
);
