/** Injects faults: kills and pauses processes, drops packets, resets connections, terminates runs. */
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { withDeadline } from '../../../platform/temporal.ts';
import type { ManagedProcess } from '../../support/managed-process.ts';
import { type Chance, createChance } from './chance.ts';
import { type Cluster, type ProcessName, serverNames, workerNames } from './cluster.ts';
import type { History } from './history.ts';
import { resumeSweeps } from './operator.ts';

/** `two versions` and `clocks apart` last for the whole run; the others are injected repeatedly. */
export const faultKinds = [
  ...['kills', 'resets', 'silence', 'partitions', 'terminations', 'failovers'],
  ...['two versions', 'clocks apart'],
] as const;
export type FaultKind = (typeof faultKinds)[number];

interface ProcessGroup {
  processes: readonly ProcessName[];
  /** Share of pauses that exceed the timeouts of heartbeats, workflow tasks and leases. */
  longPauses: number;
  /** Minimum and maximum milliseconds between two faults. */
  intervalMs: readonly [number, number];
}

/**
 * Processes of one group are hit one at a time; groups are independent of each other. Servers and APIs are rarely down
 * for long, since little else happens without them.
 */
const processGroups: Record<string, ProcessGroup> = {
  servers: { processes: serverNames, longPauses: 0.15, intervalMs: [7_000, 13_000] },
  workers: { processes: workerNames, longPauses: 0.75, intervalMs: [1_000, 4_000] },
  api: { processes: ['api', 'other api'], longPauses: 0.1, intervalMs: [7_000, 13_000] },
  others: { processes: ['dispatcher', 'other worker'], longPauses: 0.5, intervalMs: [2_000, 6_000] },
};

/** Count of each fault, such as `kill postgres`. */
export type Faults = Map<string, number>;

/** Injects faults of the given kinds until `signal` is aborted. On return every process runs and is reachable. */
export async function runNemesis(
  options: { cluster: Cluster; history: History; seed: number; kinds: readonly FaultKind[] },
  signal: AbortSignal,
): Promise<Faults> {
  const { cluster, history, seed, kinds } = options;
  const { processes, proxies } = cluster;
  const faults: Faults = new Map();
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  function note(fault: string, details: Record<string, unknown> = {}): void {
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    history.note({ fault, ...details });
  }
  for (const kind of ['two versions', 'clocks apart'] as const) if (kinds.includes(kind)) note(kind);

  /** Serializes faults on PostgreSQL, since a failover also kills and starts it. */
  let postgres = Promise.resolve();
  function withPostgres(work: () => Promise<void>): Promise<void> {
    const done = postgres.then(work);
    postgres = done.catch(() => undefined);
    return done;
  }

  async function injectFault(
    name: ProcessName,
    way: 'kill' | 'pause',
    longPauses: number,
    chance: Chance,
  ): Promise<void> {
    const target = processes[name];
    if (target === undefined) return;
    const pauseMs = chance.happens(longPauses) ? chance.between(20_500, 25_000) : chance.between(500, 4_000);
    const downMs = chance.between(0, 3_000);
    if (way === 'pause') {
      note(`pause ${name}`, { ms: pauseMs });
      await target.pause();
      await pause(pauseMs);
      await target.resume();
      if (chance.happens(0.7)) return;
    }
    note(`kill ${name}`, { ms: downMs });
    await target.kill();
    await pause(downMs);
    await superviseStart(target);
    history.note({ started: name });
  }

  async function kills(name: string, { processes: names, longPauses, intervalMs }: ProcessGroup): Promise<void> {
    const chance = createChance(seed, `front ${name}`);
    const known = names.filter((one) => processes[one] !== undefined);
    await pause(chance.between(...intervalMs));
    // First each process is killed once and paused once; then the choice is random.
    const first = (['kill', 'pause'] as const).flatMap((way) => known.map((target) => ({ target, way })));
    for (let turn = 0; !signal.aborted; turn++) {
      const random = { target: chance.pick(known), way: chance.happens(0.6) ? ('pause' as const) : ('kill' as const) };
      const { target, way } = first[turn] ?? random;
      const work = () => injectFault(target, way, longPauses, chance);
      await (target === 'postgres' ? withPostgres(work) : work());
      await pause(chance.between(...intervalMs));
    }
  }

  async function resets(server: (typeof serverNames)[number], everyMs: readonly [number, number]): Promise<void> {
    const chance = createChance(seed, `resets ${server}`);
    for (;;) {
      await pause(chance.between(...everyMs));
      if (signal.aborted) return;
      note(`reset to ${server}`, { connections: proxies[server].reset(() => chance.happens(0.5)) });
    }
  }

  /** Drops packets in both directions without closing connections. Afterwards only new connections work. */
  async function silence(): Promise<void> {
    const chance = createChance(seed, 'silence');
    for (let turn = 0; ; turn++) {
      await pause(chance.between(7_000, 13_000));
      if (signal.aborted) return;
      const server = serverNames[turn] ?? chance.pick(serverNames);
      const ms = chance.happens(0.3) ? chance.between(10_000, 20_000) : chance.between(3_000, 7_000);
      note(`drop packets to ${server}`, { ms });
      proxies[server].silence();
      await pause(ms);
      await proxies[server].restore();
    }
  }

  /** Makes zombie workers: Temporal sees the worker gone and retries its work elsewhere, while it works on. */
  async function partitions(): Promise<void> {
    const chance = createChance(seed, 'partitions');
    for (;;) {
      await pause(chance.between(1_000, 4_000));
      if (signal.aborted) return;
      const name = chance.pick(workerNames);
      note(`partition ${name} from temporal`);
      proxies[name].silence({ endsUpstream: true });
      await pause(chance.between(24_000, 29_000));
      await proxies[name].restore();
      proxies[name].reset();
    }
  }

  /** Terminates runs, as an operator does in the Temporal UI. */
  async function terminations(): Promise<void> {
    const chance = createChance(seed, 'terminations');
    for (;;) {
      await pause(chance.between(500, 2_000));
      if (signal.aborted) return;
      const made = [...history.sources.values()].filter(({ ids }) => ids.size > 0);
      if (made.length === 0) continue;
      const [id = ''] = chance.pick(made.slice(-8)).ids;
      const at = Date.now();
      const handle = cluster.temporal.workflow.getHandle(sourceWorkflowId(id));
      const outcome = await withDeadline(cluster.temporal, () => handle.terminate('Storm'), 2_000).then(
        () => 'done' as const,
        // Most runs have ended already. On any other error the termination may have taken effect.
        (error: unknown) => (error instanceof WorkflowNotFoundError ? ('none' as const) : ('unknown' as const)),
      );
      if (outcome === 'none') continue;
      history.terminations.push({ sourceId: id, at });
      if (outcome === 'done') note('terminate a run', { id });
    }
  }

  /** The standby takes over and loses the commits of the last seconds; then an operator resumes the sweeps. */
  async function failovers(): Promise<void> {
    const chance = createChance(seed, 'failovers');
    await pause(chance.between(20_000, 30_000));
    while (!signal.aborted) {
      await withPostgres(async () => {
        const loss = await cluster.postgres.failOver(chance.between(300, 2_000));
        history.losses.push(loss);
        note('fail over postgres', { ...loss });
      });
      await resumeSweeps(cluster);
      await pause(chance.between(60_000, 90_000));
    }
  }

  const running: Record<FaultKind, () => Promise<void>[]> = {
    kills: () => Object.entries(processGroups).map(([name, one]) => kills(name, one)),
    resets: () => [
      // Often enough to fall between two related statements.
      resets('postgres', [1_000, 3_000]),
      resets('temporal', [700, 3_000]),
      resets('storage', [2_000, 5_000]),
    ],
    silence: () => [silence()],
    partitions: () => [partitions()],
    terminations: () => [terminations()],
    failovers: () => [failovers()],
    'two versions': () => [],
    'clocks apart': () => [],
  };
  await Promise.all(kinds.flatMap((kind) => running[kind]()));
  return faults;
}

const MAX_STARTS = 20;

/** Like a supervisor, restarts a process that exits during its start, for example because Temporal is down. */
async function superviseStart(target: ManagedProcess): Promise<void> {
  for (let starts = 1; ; starts++) {
    try {
      await target.start();
      return;
    } catch (error) {
      if (starts === MAX_STARTS) throw error;
      await delay(1_000);
    }
  }
}
