/**
 * Runs that are under way while a new version is deployed go on in it: recorded histories are replayed with the
 * workflow as it is now, and with changes of it. No server is needed. `npm run histories` records them.
 */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';

const project = fileURLToPath(new URL('../../', import.meta.url));
const logger = new DefaultLogger('ERROR');
// Replays that are meant to fail say why in their result.
const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
Runtime.install({ logger, telemetryOptions: { logging: { filter } } });

/** Recorded by the workflow as it is, and by its first version: those are never recorded anew. */
const versions = ['first', 'present'] as const;
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

type Version = (typeof versions)[number];
const folderOf = (version: Version) => new URL(`../histories/${version}/`, import.meta.url);

/** The bundle of the workflows in a folder, the project's own where none is given. */
const bundle = (folder = project) => bundleWorkflowCode({ workflowsPath: join(folder, 'workflows/index.ts'), logger });

/** Replays a version's histories, and returns the scenarios that cannot go on, with the reason for each. */
async function broken(
  workflowBundle: Awaited<ReturnType<typeof bundle>>,
  version: Version,
): Promise<Record<string, string>> {
  const histories = await Promise.all(
    scenarios.map(async (workflowId) => ({
      workflowId,
      history: JSON.parse(await readFile(new URL(`${workflowId}.json`, folderOf(version)), 'utf8')),
    })),
  );
  const reasons: Record<string, string> = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (error) reasons[workflowId] = error.message;
  }
  return reasons;
}

test.each(versions)('every scenario was recorded, and nothing else (%s)', async (version) => {
  const recorded = (await readdir(folderOf(version))).map((file) => file.replace('.json', ''));
  expect(recorded.sort()).toEqual(scenarios);
});

test('every recorded run goes on in the workflow as it is now', async () => {
  const present = await bundle();
  for (const version of versions) expect({ version, ...(await broken(present, version)) }).toEqual({ version });
});

describe('a change of the workflow', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'changed-workflow-'));
    for (const part of ['workflows', 'contract'])
      await cp(join(project, part), join(folder, part), { recursive: true });
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Replaces what stands exactly once in a workflow's file, and replays the first version's histories. */
  async function afterChange(file: string, ...changes: [from: string, to: string][]): Promise<Record<string, string>> {
    const path = join(folder, 'workflows', file);
    let text = await readFile(path, 'utf8');
    for (const [from, to] of changes) {
      expect(text.split(from)).toHaveLength(2);
      text = text.replace(from, () => to);
    }
    await writeFile(path, text);
    return broken(await bundle(folder), 'first');
  }

  const contextStep = `  if (plan.runContextExtraction) {
    enter('context');
    await extractContext(ref);
  }
`;
  const artifactsStep = `  if (plan.runArtifactExtraction) {
    enter('artifacts');
    await extractArtifacts(ref);
  }
`;
  const imports: [string, string] = ['  patched,\n', '  deprecatePatch,\n  patched,\n'];

  test('that does the steps in another order breaks the runs under way, and is caught', async () => {
    const reasons = await afterChange('source.ts', [contextStep + artifactsStep, artifactsStep + contextStep]);
    expect(Object.keys(reasons)).toEqual(expect.arrayContaining(['completed', 'composition', 'superseded']));
    expect(Object.values(reasons)).toEqual(Object.values(reasons).map(() => expect.stringMatching(/nondeterminism/i)));
  });

  test('behind patched() leaves them as they were', async () => {
    const both = `if (patched('artifacts-first')) {\n${artifactsStep + contextStep}} else {\n${contextStep + artifactsStep}}\n`;
    expect(await afterChange('source.ts', [contextStep + artifactsStep, both])).toEqual({});
  });

  test('whose old branch went while runs from before it are open is caught', async () => {
    const only = `deprecatePatch('artifacts-first');\n${artifactsStep + contextStep}`;
    const reasons = await afterChange('source.ts', imports, [contextStep + artifactsStep, only]);
    expect(Object.keys(reasons)).toContain('completed');
  });

  test('of time-outs, retries, summaries and details needs no patch', async () => {
    const steps: [string, string][] = [
      [
        "  startToCloseTimeout: '5m',\n  retry: GROWING_PAUSE,\n  summary: 'Fetch the content',",
        "  startToCloseTimeout: '9m',\n  scheduleToCloseTimeout: '1h',\n  taskQueue: 'fetches',\n  retry: { maximumAttempts: 2 },\n  summary: 'Get it',",
      ],
      ["heartbeatTimeout: '10s' } as const;", "heartbeatTimeout: '20s' } as const;"],
      [
        "scheduleToCloseTimeout: '5s',\n  retry: { initialInterval: '100ms', maximumAttempts: 3 }",
        "scheduleToCloseTimeout: '4s',\n  retry: { maximumAttempts: 2 }",
      ],
    ];
    expect(await afterChange('steps.ts', ...steps)).toEqual({});
    expect(
      await afterChange('source.ts', ["enter('context');", "enter('context');\n    setCurrentDetails('Now');"]),
    ).toEqual({});
  });
});
