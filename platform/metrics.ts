/** Metrics of a process. Label values come from closed sets: no ids, names, URLs or owners. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of one process in a new registry. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpRequests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of HTTP requests by route pattern, method and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    requestsRefused: new Counter({
      name: 'requests_refused_total',
      help: 'Requests rejected with 429 by kind: budget, wrong_keys, open_waits.',
      labelNames: ['kind'],
      registers,
    }),
    commandsSent: new Counter({
      name: 'outbox_commands_total',
      help: 'Commands to Temporal by outcome: sent, away (dependency trouble), refused (by Temporal), given_up.',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    dependencyTrouble: new Counter({
      name: 'dependency_trouble_total',
      help:
        'Calls that failed by trouble of a dependency (database, temporal, storage, extraction), by reason: ' +
        'unreachable, timeout, refused (credentials, rights, not set up), failing.',
      labelNames: ['dependency', 'reason'],
      registers,
    }),
    repairs: new Counter({
      name: 'reconciler_repairs_total',
      help:
        'Repairs by action (restarted, given_up, reminded, delivery, artifact, ticket, space_deletion, purge) and ' +
        'state of the run (missing, closed, ahead of a restored database, failing, stuck, idle, behind).',
      labelNames: ['action', 'run'],
      registers,
    }),
    purged: new Counter({
      name: 'purged_total',
      help: 'Subjects removed by purges: source, upload, space, user.',
      labelNames: ['of'],
      registers,
    }),
    swept: new Counter({
      name: 'swept_total',
      help: 'Items removed by sweeps: uploads, idempotency_keys, tickets, executions (Temporal), generations, objects.',
      labelNames: ['kind'],
      registers,
    }),
    collectorStops: new Counter({
      name: 'collector_stops_total',
      help: 'Runs of the object collector that removed nothing because suspiciously many objects were unreferenced.',
      registers,
    }),
    generationsEnded: new Counter({
      name: 'generations_ended_total',
      help: 'Generations that a run ended, by status and error code (empty unless FAILED).',
      labelNames: ['status', 'code'],
      registers,
    }),
    deliveryAttempts: new Counter({
      name: 'postback_attempts_total',
      help: 'Delivery attempts by the state that followed: delivered, pending (tried again), failed, disabled.',
      labelNames: ['state'],
      registers,
    }),
    stageDuration: new Histogram({
      name: 'stage_duration_seconds',
      help: 'Duration of the stages of a run by stage and outcome.',
      labelNames: ['stage', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
  };
}
