/** Stops the servers after the last project, and fails the run when a process of the service failed by itself. */
import { once } from 'node:events';

export default async function stopStack({ watch, watchAll }) {
  const stack = globalThis.testStack;
  // In watch mode the servers end with this process.
  if (stack === undefined || watch || watchAll) return;
  globalThis.testStack = undefined;
  const exited = once(stack, 'exit');
  if (stack.exitCode === null) {
    stack.send('stop');
    await exited;
  }
  if (stack.exitCode !== 0) throw new Error('The servers of the tests did not end as they should; see above.');
}
