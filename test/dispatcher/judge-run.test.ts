import type { OpenRun, Run } from '../../apps/dispatcher/describe-run.ts';
import { isIdle, judgeSourceRun, lossOf } from '../../apps/dispatcher/judge-run.ts';
import { parseConfig } from '../../platform/config.ts';
import { stack } from '../support/stack.ts';

const config = parseConfig({ ...stack().settings, RECONCILER_STUCK_SECONDS: '600', RECONCILER_TASK_FAILURES: '10' });

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const open = (parts: Partial<OpenRun> = {}): OpenRun => ({
  state: 'open',
  runId: 'run',
  generation: 2,
  taskFailures: 0,
  waits: false,
  deliveries: 0,
  activities: 1,
  ...parts,
});
const closed = (generation: number | null): Run => ({ state: 'closed', runId: 'run', generation });
const missing: Run = { state: 'missing', runId: null, generation: null };
const idle = { activities: 0 };

test.each<[string, Run, { idleSince: Date | null }, string]>([
  ['there is none', missing, { idleSince: null }, 'missing'],
  ['it is closed', closed(2), { idleSince: null }, 'closed'],
  ['it closed before it began', closed(null), { idleSince: null }, 'closed'],
  ['it closed in a generation that the row has not reached', closed(3), { idleSince: null }, 'ahead'],
  ['it is open in a generation that the row has not reached', open({ generation: 3 }), { idleSince: null }, 'ahead'],
  ['an activity is queued, running or in its back-off', open(), { idleSince: null }, 'well'],
  ['an activity is under way, whatever was seen before', open(), { idleSince: ago(3_600) }, 'well'],
  ['it waits for a worker', open({ ...idle, waits: true }), { idleSince: ago(3_600) }, 'well'],
  ['it waits for a worker with an older generation', open({ generation: 1, waits: true }), { idleSince: null }, 'well'],
  ['its task failed a few times', open({ taskFailures: 9 }), { idleSince: null }, 'well'],
  ['its task failed too often', open({ taskFailures: 10 }), { idleSince: null }, 'failing'],
  ['it does nothing since a short while', open(idle), { idleSince: ago(590) }, 'well'],
  ['it does nothing since too long', open(idle), { idleSince: ago(610) }, 'idle'],
  ['it only delivers since too long', open({ ...idle, deliveries: 1 }), { idleSince: ago(610) }, 'idle'],
  ['it works on an older generation', open({ generation: 1 }), { idleSince: null }, 'behind'],
  ['it never began', open({ ...idle, generation: null }), { idleSince: null }, 'behind'],
  ['it never began, in spite of reminders', open({ ...idle, generation: null }), { idleSince: ago(610) }, 'idle'],
])('the run of a source in generation 2: %s', (_, run, row, verdict) => {
  expect(judgeSourceRun(run, { generation: 2, ...row }, config)).toBe(verdict);
});

test('only an open run that does not wait for its turn can be idle', () => {
  expect([open(idle), open(), open({ ...idle, waits: true }), closed(1), missing].map(isIdle)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('any run is lost when it is missing, closed, or its task fails again and again', () => {
  expect([missing, closed(1), open({ taskFailures: 10 }), open()].map((run) => lossOf(run, config))).toEqual([
    'missing',
    'closed',
    'failing',
    null,
  ]);
});
