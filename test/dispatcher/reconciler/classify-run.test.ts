import { classifySourceRun, isStuck, lostReason } from '../../../apps/dispatcher/reconciler/classify-run.ts';
import type { OpenRun, Run } from '../../../apps/dispatcher/reconciler/describe-run.ts';
import { parseConfig } from '../../../platform/config.ts';
import { stack } from '../../support/stack.ts';

const config = parseConfig({ ...stack().settings, RECONCILER_STUCK_SECONDS: '600', RECONCILER_TASK_FAILURES: '10' });

const open = (parts: Partial<OpenRun> = {}): OpenRun => ({
  state: 'open',
  runId: 'run',
  generation: 2,
  taskFailures: 0,
  isWaiting: false,
  deliveries: 0,
  activities: 1,
  hasFailingWrite: false,
  isSynchronizing: false,
  ...parts,
});
const closed = (generation: number | null): Run => ({ state: 'closed', runId: 'run', generation });
const missing: Run = { state: 'missing', runId: null, generation: null };
const nothing = { activities: 0 };
const reminded = { reminded: true };
const since = (stuckSeconds: number) => ({ stuckSeconds });

test.each<[string, Run, { stuckSeconds?: number; reminded?: boolean }, string]>([
  ['it is missing', missing, {}, 'missing'],
  ['it is closed', closed(2), {}, 'closed'],
  ['it closed before it began', closed(null), {}, 'closed'],
  ['it closed in a generation that the row has not reached', closed(3), {}, 'ahead'],
  ['it is open in a generation that the row has not reached', open({ generation: 3 }), {}, 'ahead'],
  ['an activity is queued, running or in its back-off', open(), {}, 'none'],
  ['an activity is pending, and earlier checks found it stuck', open(), since(3_600), 'none'],
  ['it waits for a worker', open({ ...nothing, isWaiting: true }), since(3_600), 'none'],
  ['it waits for a worker with an older generation', open({ ...nothing, generation: 1, isWaiting: true }), {}, 'none'],
  ['nothing is pending in it', open(nothing), {}, 'idle'],
  ['it only delivers older postbacks', open({ ...nothing, deliveries: 1 }), {}, 'idle'],
  ['its task failed 9 times', open({ ...nothing, taskFailures: 9 }), {}, 'none'],
  ['its task has failed for 590 s', open({ ...nothing, taskFailures: 5 }), since(590), 'none'],
  ['its task has failed for 610 s', open({ ...nothing, taskFailures: 5 }), since(610), 'stuck'],
  ['its task failed 10 times', open({ ...nothing, taskFailures: 10 }), {}, 'failing'],
  ['its begin or end keeps failing', open({ ...nothing, hasFailingWrite: true }), {}, 'none'],
  ['its begin or end has failed for 610 s', open({ ...nothing, hasFailingWrite: true }), since(610), 'stuck'],
  ['it works on an older generation', open({ generation: 1 }), {}, 'remind'],
  ['it works on an older generation in spite of a reminder', open({ generation: 1 }), reminded, 'behind'],
  ['it begins the generation after a reminder', open({ generation: 1, isSynchronizing: true }), reminded, 'remind'],
  ['it never began', open({ ...nothing, generation: null }), {}, 'remind'],
  ['it never began in spite of a reminder', open({ ...nothing, generation: null }), reminded, 'behind'],
])('the run of a source in generation 2: %s', (_, run, row, expected) => {
  const repair = classifySourceRun(run, { generation: 2, stuckSeconds: null, reminded: false, ...row }, config);
  expect(repair.action === 'replace' ? repair.cause : repair.action).toBe(expected);
});

test('only a run that fails and has nothing else pending is stuck', () => {
  const failing = { taskFailures: 1 };
  const runs = [open({ ...nothing, ...failing }), open(failing), open(nothing), closed(1), missing];
  expect(runs.map(isStuck)).toEqual([true, false, false, false, false]);
});

test.each<[string, Run, string | null]>([
  ['missing', missing, 'missing'],
  ['closed', closed(1), 'closed'],
  ['open with a task that keeps failing', open({ taskFailures: 10 }), 'failing'],
  ['open with nothing pending', open(nothing), 'idle'],
  ['open with a delivery', open({ ...nothing, deliveries: 1 }), null],
  ['open with a task that failed once', open({ ...nothing, taskFailures: 1 }), null],
  ['paused, or waiting for a worker', open({ ...nothing, isWaiting: true }), null],
  ['open with an activity', open(), null],
])('the lost reason of a run that is %s', (_, run, reason) => {
  expect(lostReason(run, config)).toBe(reason);
});
