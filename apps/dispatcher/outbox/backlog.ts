/** Gauges of the backlog, counted in the database whenever the metrics are read. */
import { Gauge } from 'prom-client';
import type { Database } from '../../../db/orm.ts';
import { type Backlog, readBacklog } from '../../../db/queries/outbox/backlog.ts';
import type { Metrics } from '../../../platform/metrics.ts';

const gauges: Record<keyof Backlog, { name: string; help: string }> = {
  commands: { name: 'outbox_commands', help: 'Commands that were not sent to Temporal yet.' },
  oldestCommandSeconds: { name: 'outbox_oldest_seconds', help: 'Age of the oldest command in the outbox.' },
  postbacks: { name: 'postbacks_pending', help: 'Postbacks that are pending.' },
  latestAttemptSeconds: {
    name: 'postbacks_late_seconds',
    help: 'How late the most overdue delivery attempt is.',
  },
};

/** Adds the backlog to the metrics. The gauges have no value while the database is away. */
export function exposeBacklog({ database, metrics }: { database: Database; metrics: Metrics }): void {
  let counting: Promise<Backlog | null> | undefined;
  // The gauges of one scrape share one query.
  const count = () => {
    counting ??= readBacklog(database.pool)
      .catch(() => null)
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  for (const key of Object.keys(gauges) as (keyof Backlog)[]) {
    new Gauge({
      ...gauges[key],
      registers: [metrics.registry],
      async collect() {
        const backlog = await count();
        if (backlog === null) this.remove();
        else this.set(backlog[key]);
      },
    });
  }
}
