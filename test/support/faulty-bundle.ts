/** Workflow bundles with an injected fault, for workers that start with WORKFLOW_BUNDLE. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

/** Bundles the workflows with the interceptors of `test/chaos/faults/<fault>.ts` into `file`. Returns `file`. */
export async function bundleWithFault(fault: string, file: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [fileURLToPath(new URL(`../chaos/faults/${fault}.ts`, import.meta.url))],
    logger: new DefaultLogger('ERROR'),
  });
  await writeFile(file, code);
  return file;
}
