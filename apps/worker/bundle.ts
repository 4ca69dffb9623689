/**
 * `node apps/worker/bundle.ts FILE`: bundles the workflows once, for workers that start with WORKFLOW_BUNDLE=FILE.
 * That saves each worker two seconds and the bundler's memory.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Entry module of the workflows. */
export const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

const [, script, target] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (target === undefined) {
    process.stderr.write('Usage: node apps/worker/bundle.ts FILE\n');
    process.exit(64);
  }
  const { code } = await bundleWorkflowCode({ workflowsPath });
  await writeFile(target, code);
}
