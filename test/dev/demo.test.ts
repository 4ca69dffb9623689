/** `npm run demo` as people run it. Its temporary folder lies in one of the test's own, so that leftovers are seen. */
import { readdir } from 'node:fs/promises';
import { stack } from '../support/stack.ts';
import { type Spawned, spawned } from './spawned.ts';
import { processesNaming, temporaryFolder } from './temporary.ts';

const TIMEOUT_MS = 120_000;
/** Made once for the suite, so that no start of these bundles anew. */
const { WORKFLOW_BUNDLE = '' } = stack().settings;

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
  'every expectation holds; with --keep all stays up, the Temporal UI knows each run, and Ctrl-C leaves nothing',
  async () => {
    const { demo, folder } = await startDemo({}, ['--keep']);
    await demo.prints('All stays up until Ctrl-C');
    expect(demo.output()).not.toContain('✗');
    expect(demo.output().match(/✓/g)).toHaveLength(14);
    const links = [...demo.output().matchAll(/(http:\S+)(\/namespaces\/default\/workflows\/source-\S+)/g)];
    expect(links).toHaveLength(6);
    for (const [link, ui, path] of links) {
      expect((await fetch(link)).status).toBe(200);
      // The page is the same for every path; what it shows comes from here.
      expect((await fetch(`${ui}/api/v1${path}`)).status).toBe(200);
    }
    demo.signal('SIGINT');
    expect(await demo.ended).toBe(0);
    await expectNothingLeft(folder);
  },
  TIMEOUT_MS,
);

test(
  'an expectation that does not hold is named with its reason, and the exit code is 1',
  async () => {
    // Less than the page has: the fetch is refused, and the composition fails with its member.
    const { demo, folder } = await startDemo({ FETCH_MAX_BYTES: '100' });
    expect(await demo.ended).toBe(1);
    const output = demo.output();
    expect(output).toMatch(/✗ The URI source holds .*\n +It is FAILED, fetch_too_large/);
    expect(output).toMatch(/✗ The COMPOSITION holds .*\n +It is FAILED, member_failed/);
    expect(output).toMatch(/✗ One signed postback .*\n +It says source\.failed/);
    expect(output).toContain("✓ A sentence of the PDF stands in the FILE source's content");
    await expectNothingLeft(folder);
  },
  TIMEOUT_MS,
);

test.each(['Starting PostgreSQL', 'Starting the worker'])(
  'Ctrl-C after "%s" leaves nothing',
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
