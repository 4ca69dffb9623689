/** What operators count. No label holds an id, a name, a URL or an owner: labels come from closed sets. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process, in a registry of their own. */
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
      help: 'Requests answered 429 by kind: budget, wrong_keys, open_waits.',
      labelNames: ['kind'],
      registers,
    }),
    commandsSent: new Counter({
      name: 'outbox_commands_total',
      help: 'Commands handed to Temporal by outcome: sent, away (out of reach), refused, given_up.',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    dependencyTrouble: new Counter({
      name: 'dependency_trouble_total',
      help:
        'Calls that failed for trouble of a part of the installation (database, temporal, storage, extraction), by reason: ' +
        'unreachable, timeout, refused (credentials, rights, not set up), failing.',
      labelNames: ['dependency', 'reason'],
      registers,
    }),
    repairs: new Counter({
      name: 'reconciler_repairs_total',
      help:
        'What the reconciler did (restarted, given_up, reminded, delivery, artifact, ticket, space_deletion, purge) ' +
        'about a run that is missing, closed, ahead (of a restored database), failing, stuck, idle, or behind.',
      labelNames: ['action', 'run'],
      registers,
    }),
    purged: new Counter({
      name: 'purged_total',
      help: 'What purges removed for good: source, upload, space, user.',
      labelNames: ['of'],
      registers,
    }),
    swept: new Counter({
      name: 'swept_total',
      help: 'What sweeps removed: uploads, idempotency_keys, tickets, executions (in Temporal), generations, objects.',
      labelNames: ['kind'],
      registers,
    }),
    collectorStops: new Counter({
      name: 'collector_stops_total',
      help: 'Times that the object collector removed nothing, since it would have been suspiciously much.',
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
      help: 'Attempts of postbacks by what followed: delivered, pending (tried again), failed, disabled.',
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
