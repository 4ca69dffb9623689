/**
 * Open runs continue in a new version: recorded histories are replayed with the current workflows and with changed
 * ones. No server is needed. `npm run histories` records them.
 */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { fingerprint, fingerprintFile } from '../support/workflow-code.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const logger = new DefaultLogger('ERROR');
// Expected replay failures are in the result; the log would only repeat them.
const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
Runtime.install({ logger, telemetryOptions: { logging: { filter } } });

const folder = new URL('../histories/recorded/', import.meta.url);
const scenarios = [
  'artifact-canceled',
  'artifact-processed',
  'canceled',
  'canceled-and-reprocessed',
  'completed',
  'completed-uri',
  'composition',
  'continued-as-new',
  'continues-another',
  'deliver-out-of-the-blue',
  'delivery-stopped-by-operator',
  'failed',
  'operator-canceled',
  'postback-retried',
  'redelivered-for-long',
  'reprocessed',
  'reprocessed-while-delivering',
  'space-deletion',
  'space-purged',
  'stages-off',
  'superseded',
  'ticket-sent',
  'unknown-generation',
];

/** Bundles the workflows of a folder, by default the project's. */
const bundle = (root = project) => bundleWorkflowCode({ workflowsPath: join(root, 'workflows/index.ts'), logger });

/** Replays the recorded histories; returns the reason of each scenario that fails. */
async function broken(workflowBundle: Awaited<ReturnType<typeof bundle>>): Promise<Record<string, string>> {
  const histories = await Promise.all(
    scenarios.map(async (workflowId) => ({
      workflowId,
      history: JSON.parse(await readFile(new URL(`${workflowId}.json`, folder), 'utf8')),
    })),
  );
  const reasons: Record<string, string> = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (error) reasons[workflowId] = error.message;
  }
  return reasons;
}

test('the recorded histories are exactly the scenarios', async () => {
  const recorded = (await readdir(folder)).map((file) => file.replace('.json', ''));
  expect(recorded.sort()).toEqual(scenarios);
});

test('the histories match the current workflows: after a change, record them with "npm run histories"', async () => {
  expect((await readFile(fingerprintFile, 'utf8')).trim()).toBe(await fingerprint());
});

test('the current workflows replay every recorded history', async () => {
  expect(await broken(await bundle())).toEqual({});
});

describe('a change of the workflow', () => {
  let copy: string;
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'changed-workflow-'));
    for (const part of ['workflows', 'contract']) await cp(join(project, part), join(copy, part), { recursive: true });
    await symlink(join(project, 'node_modules'), join(copy, 'node_modules'));
  });
  afterEach(() => rm(copy, { recursive: true, force: true }));

  /** Replaces texts that occur exactly once in a workflow file, and replays the recorded histories. */
  async function afterChange(file: string, ...changes: [from: string, to: string][]): Promise<Record<string, string>> {
    const path = join(copy, 'workflows', file);
    let text = await readFile(path, 'utf8');
    for (const [from, to] of changes) {
      expect(text.split(from)).toHaveLength(2);
      text = text.replace(from, () => to);
    }
    await writeFile(path, text);
    return broken(await bundle(copy));
  }

  const oneStep = `    await extractContent(ref, { context, artifacts }, plan.isShortText);
`;
  const twoSteps = `    await extractContent(ref, { context, artifacts: false }, plan.isShortText);
    await extractContent(ref, { context: false, artifacts }, plan.isShortText);
`;
  const imported = (name: string): [string, string] => ['  isCancellation,\n', `  isCancellation,\n  ${name},\n`];

  test('that splits an activity call in two is nondeterministic and found by the replay', async () => {
    const reasons = await afterChange('source.ts', [oneStep, twoSteps]);
    expect(Object.keys(reasons)).toEqual(expect.arrayContaining(['completed', 'composition', 'superseded']));
    expect(Object.values(reasons)).toEqual(Object.values(reasons).map(() => expect.stringMatching(/nondeterminism/i)));
  });

  test('behind patched() replays every history', async () => {
    const both = `if (patchedHere('two-steps')) {\n${twoSteps}} else {\n${oneStep}}\n`;
    expect(await afterChange('source.ts', imported('patched as patchedHere'), [oneStep, both])).toEqual({});
  });

  test('that removes the old branch of a patch too early is found by the replay', async () => {
    const only = `deprecateHere('two-steps');\n${twoSteps}`;
    const reasons = await afterChange('source.ts', imported('deprecatePatch as deprecateHere'), [oneStep, only]);
    expect(Object.keys(reasons)).toContain('completed');
  });

  test('of timeouts, retries, summaries and details needs no patch', async () => {
    const steps: [string, string][] = [
      [
        "  startToCloseTimeout: '5m',\n  retry: EXPONENTIAL_BACKOFF,\n  summary: 'Fetch the content',",
        "  startToCloseTimeout: '9m',\n  scheduleToCloseTimeout: '1h',\n  taskQueue: 'fetches',\n  retry: { maximumAttempts: 2 },\n  summary: 'Get it',",
      ],
      [
        "import { HEARTBEAT_TIMEOUT, waiting } from './waiting.ts';",
        "import { waiting } from './waiting.ts';\nconst HEARTBEAT_TIMEOUT = '30s';",
      ],
      [
        "scheduleToCloseTimeout: '5s',\n  retry: { initialInterval: '100ms', maximumAttempts: 3 }",
        "scheduleToCloseTimeout: '4s',\n  retry: { maximumAttempts: 2 }",
      ],
    ];
    expect(await afterChange('activities.ts', ...steps)).toEqual({});
    expect(await afterChange('source.ts', ["enter('wait');", "enter('wait');\n    setCurrentDetails('Now');"])).toEqual(
      {},
    );
  });
});
