/** A single source and a single bare workflow, cut into the phases that both have. Milliseconds. */
import type { SingleBare } from './bare-side.ts';
import type { RunTimes } from './history.ts';
import type { SingleSource } from './service-side.ts';

/** Phases in their order; each begins where the one before ended. */
export type Phases = Record<string, number>;

/** Between two workflow tasks both do the same, so they are cut alike. */
function runPhases(run: RunTimes, ended: number): Phases {
  return {
    'start -> first workflow task begun': run.firstTask - run.started,
    'workflow task with begin (local)': run.contextScheduled - run.firstTask,
    'extractContext: scheduled -> started': run.contextStarted - run.contextScheduled,
    'extractContext: started -> completed': run.contextDone - run.contextStarted,
    'workflow task between': run.artifactsScheduled - run.contextDone,
    'extractArtifacts: scheduled -> started': run.artifactsStarted - run.artifactsScheduled,
    'extractArtifacts: started -> completed': run.artifactsDone - run.artifactsStarted,
    'workflow task with finish (local)': ended - run.artifactsDone,
  };
}

export function servicePhases(source: SingleSource, run: RunTimes): Phases {
  return {
    'HTTP create: request -> row': source.times.created - source.requested,
    'outbox: row -> workflow started': run.started - source.times.created,
    ...runPhases(run, source.times.finish),
    'seen: COMPLETED by the poll / result by the client': source.seen - source.times.finish,
  };
}

export function barePhases(single: SingleBare, run: RunTimes): Phases {
  return {
    'HTTP create: request -> row': 0,
    'outbox: row -> workflow started': run.started - single.requested,
    ...runPhases(run, run.closed),
    'seen: COMPLETED by the poll / result by the client': single.seen - run.closed,
  };
}
