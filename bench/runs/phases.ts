/** Splits the time of a source and of a bare workflow into common phases, in milliseconds. */
import type { SingleBare } from './bare-side.ts';
import type { RunTimes } from './history.ts';
import type { SingleSource } from './service-side.ts';

/** Milliseconds by phase, in order; each phase begins where the previous one ended. */
export type Phases = Record<string, number>;

/** Phases between the first workflow task and `ended`, the time at which the last local activity returned. */
function runPhases(run: RunTimes, ended: number): Phases {
  const phases: Phases = { 'start -> first workflow task begun': run.firstTask - run.started };
  let before = run.firstTask;
  for (const [index, { scheduled, started, done }] of run.activities.entries()) {
    const name = `activity ${index + 1}`;
    phases[index === 0 ? 'workflow task with begin (local)' : `workflow task before ${name}`] = scheduled - before;
    phases[`${name}: scheduled -> started`] = started - scheduled;
    phases[`${name}: started -> completed`] = done - started;
    before = done;
  }
  const last = run.activities.length === 0 ? 'its local activities' : 'finish (local)';
  phases[`workflow task with ${last}`] = ended - before;
  return phases;
}

export function servicePhases(source: SingleSource, run: RunTimes): Phases {
  return {
    'HTTP create: request -> row': source.times.created - source.requested,
    'outbox (bare: start): row -> workflow started': run.started - source.times.created,
    ...runPhases(run, source.times.finish),
    'end -> seen by the poll': source.seen - source.times.finish,
  };
}

export function barePhases(single: SingleBare, run: RunTimes): Phases {
  return {
    'HTTP create: request -> row': 0,
    'outbox (bare: start): row -> workflow started': run.started - single.requested,
    ...runPhases(run, single.ended),
    'end -> seen by the poll': single.seen - single.ended,
  };
}
