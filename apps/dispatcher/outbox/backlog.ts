/** What waits, counted in the database whenever somebody reads the metrics. */
import { Gauge } from 'prom-client';
import type { Database } from '../../../db/orm.ts';
import { type Backlog, readBacklog } from '../../../db/queries/outbox/backlog.ts';
import type { Metrics } from '../../../platform/metrics.ts';

const gauges: Record<keyof Backlog, { name: string; help: string }> = {
  commands: { name: 'outbox_commands', help: 'Commands that Temporal has not taken yet.' },
  oldestCommandSeconds: { name: 'outbox_oldest_seconds', help: 'Age of the oldest of them.' },
  postbacks: { name: 'postbacks_pending', help: 'Postbacks that are still tried.' },
  latestAttemptSeconds: {
    name: 'postbacks_late_seconds',
    help: 'By how much the next attempt of one is late at most.',
  },
};

/** Has the metrics show the backlog; nothing of it while the database is away. */
export function exposeBacklog({ database, metrics }: { database: Database; metrics: Metrics }): void {
  let counting: Promise<Backlog | null> | undefined;
  // All gauges of one reading ask once.
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
