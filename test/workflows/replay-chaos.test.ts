/**
 * Runs that came through what the chaos suite does to them go on in a new version as well as undisturbed ones. All but
 * one are recorded by `npm run histories`: workflow-task-lost is what a storm left, where it timed out in its begin and
 * was told of a newer generation; `generation` was added to the two answers, which had none yet.
 */
import { readdir, readFile } from 'node:fs/promises';
import { brokenHistories } from '../support/replay.ts';

const folder = new URL('../histories/chaos/', import.meta.url);

test('the workflow replays the histories that were recorded under chaos', async () => {
  const names = (await readdir(folder)).sort();
  expect(names).toEqual([
    'end-refused-for-a-while.json',
    'repaired-after-termination.json',
    'reset-after-its-end.json',
    'reset-in-the-middle.json',
    'worker-killed.json',
    'workflow-task-lost.json',
  ]);
  const histories = await Promise.all(
    names.map(async (workflowId) => ({
      workflowId,
      history: JSON.parse(await readFile(new URL(workflowId, folder), 'utf8')),
    })),
  );
  expect(await brokenHistories(histories)).toEqual([]);
});
