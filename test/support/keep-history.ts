import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** Writes the history of a run (by default the newest of the workflow id) to `<folder>/<name>.json`. */
export async function keepHistory(
  client: Client,
  run: { workflowId: string; runId?: string | undefined },
  folder: URL,
  name: string,
): Promise<void> {
  const history = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  await mkdir(folder, { recursive: true });
  // Stack traces contain the project's absolute path.
  const text = historyToJSON(history).replaceAll(project, '');
  await writeFile(new URL(`${name}.json`, folder), `${text}\n`);
}
