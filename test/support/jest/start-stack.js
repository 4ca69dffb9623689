/** Starts the servers before the first project that needs them; in watch mode once for all runs. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export default async function startStack() {
  if (globalThis.testStack !== undefined) return;
  const stack = fork(fileURLToPath(new URL('stack.ts', import.meta.url)), { execArgv: [] });
  globalThis.testStack = stack;
  const [outcome] = await Promise.race([once(stack, 'message'), once(stack, 'exit')]);
  if (typeof outcome !== 'string') throw new Error('The servers of the tests did not start.');
  // test/support/stack.ts reads it in every test file.
  process.env.TEST_STACK_FILE = outcome;
}
