/**
 * Runs that are under way while a new version is deployed go on in it: recorded histories are replayed with the
 * workflow as it is now. No server is needed. `npm run histories` records them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';

const folder = new URL('../histories/', import.meta.url);
const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

test('every scenario of the design was recorded', () => {
  expect(names.map((name) => name.replace('.json', ''))).toEqual(
    expect.arrayContaining([
      'artifact-canceled',
      'artifact-processed',
      'canceled',
      'completed',
      'completed-uri',
      'composition',
      'continued-as-new',
      'failed',
      'operator-canceled',
      'postback-retried',
      'reprocessed',
      'superseded',
      'space-deletion',
      'space-purged',
      'ticket-sent',
    ]),
  );
});

test('the workflow replays every recorded history', async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const histories = await Promise.all(
    names.map(async (workflowId) => ({
      workflowId,
      history: JSON.parse(await readFile(new URL(workflowId, folder), 'utf8')),
    })),
  );
  const broken: string[] = [];
  const replayed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    replayed.push(workflowId);
    if (error) broken.push(`${workflowId} cannot go on in the workflow as it is now: ${error.message}`);
  }
  expect(broken).toEqual([]);
  expect(replayed.sort()).toEqual(names);
});
