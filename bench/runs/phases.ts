/** A single source and a single bare workflow, cut into the phases that they have in common. Milliseconds. */
import type { SingleBare } from './bare-side.ts';
import type { RunTimes } from './history.ts';
import type { SingleSource } from './service-side.ts';

/** Phases in their order; each begins where the one before ended. */
export type Phases = Record<string, number>;

/** Between two workflow tasks all do the same, so they are cut alike. `ended`: when the last local activity was done. */
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
  phases['workflow task with finish (local)'] = ended - before;
  return phases;
}

export function servicePhases(source: SingleSource, run: RunTimes): Phases {
  return {
    'HTTP create: request -> row': source.times.created - source.requested,
    'outbox (bare: start): row -> workflow started': run.started - source.times.created,
    ...runPhases(run, source.times.finish),
    'seen by the poll': source.seen - source.times.finish,
  };
}

export function barePhases(single: SingleBare, run: RunTimes): Phases {
  return {
    'HTTP create: request -> row': 0,
    'outbox (bare: start): row -> workflow started': run.started - single.requested,
    ...runPhases(run, single.ended),
    'seen by the poll': single.seen - single.ended,
  };
}
