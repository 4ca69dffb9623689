/** The workflows with a fault built in, for a worker that starts with WORKFLOW_BUNDLE. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

/** Bundles the workflows with interceptors of `test/chaos/faults` into `file`, and returns that. */
export async function bundleWithFault(fault: string, file: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [fileURLToPath(new URL(`../chaos/faults/${fault}.ts`, import.meta.url))],
    logger: new DefaultLogger('ERROR'),
  });
  await writeFile(file, code);
  return file;
}
