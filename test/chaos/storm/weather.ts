/** What goes wrong in a storm: parts are killed and paused, connections are cut, runs are terminated. */
import { setTimeout as delay } from 'node:timers/promises';
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { withDeadline } from '../../../platform/temporal.ts';
import { type Chance, createChance } from './chance.ts';
import type { Ledger } from './ledger.ts';
import type { PartName, World } from './world.ts';

interface Front {
  parts: readonly PartName[];
  /** Share of the pauses that are longer than heartbeats, workflow tasks and leases. */
  longPauses: number;
  /** Least and most milliseconds of fair weather between two troubles. */
  calmMs: readonly [number, number];
}

/**
 * Parts of one front suffer one after another; the fronts know nothing of each other. Without those that all others
 * need, nothing much happens: they are seldom away for long.
 */
const fronts: Record<string, Front> = {
  servers: { parts: ['postgres', 'temporal', 'storage'], longPauses: 0.15, calmMs: [4_000, 9_000] },
  workers: { parts: ['worker 1', 'worker 2'], longPauses: 0.75, calmMs: [1_000, 4_000] },
  api: { parts: ['api'], longPauses: 0.1, calmMs: [7_000, 12_000] },
  dispatcher: { parts: ['dispatcher'], longPauses: 0.5, calmMs: [2_000, 6_000] },
};

/** So often each thing happened, like `kill postgres`. */
export type Happenings = Map<string, number>;

/** Lets the weather rage until `signal` is aborted. Then every part is up again. */
export async function storm(
  options: { world: World; ledger: Ledger; seed: number },
  signal: AbortSignal,
): Promise<Happenings> {
  const { world, ledger, seed } = options;
  const happenings: Happenings = new Map();
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  function note(what: string, details: Record<string, unknown> = {}): void {
    happenings.set(what, (happenings.get(what) ?? 0) + 1);
    ledger.note({ weather: what, ...details });
  }

  async function strike(name: PartName, longPauses: number, chance: Chance): Promise<void> {
    const part = world.parts[name];
    const pauseMs = chance.happens(longPauses) ? chance.between(10_500, 15_000) : chance.between(500, 4_000);
    const downMs = chance.between(0, 3_000);
    if (chance.happens(0.6)) {
      note(`pause ${name}`, { ms: pauseMs });
      await part.pause();
      await pause(pauseMs);
      await part.resume();
      if (chance.happens(0.7)) return;
    }
    note(`kill ${name}`, { ms: downMs });
    await part.kill();
    await pause(downMs);
    await part.start();
    note(`start ${name}`);
  }

  async function front(name: string, { parts, longPauses, calmMs }: Front): Promise<void> {
    const chance = createChance(seed, `front ${name}`);
    await pause(chance.between(...calmMs));
    while (!signal.aborted) {
      await strike(chance.pick(parts), longPauses, chance);
      await pause(chance.between(...calmMs));
    }
  }

  async function cuts(server: keyof World['lines'], everyMs: readonly [number, number]): Promise<void> {
    const chance = createChance(seed, `cuts ${server}`);
    for (;;) {
      await pause(chance.between(...everyMs));
      if (signal.aborted) return;
      note(`cut to ${server}`, { connections: world.lines[server].cut(() => chance.happens(0.5)) });
    }
  }

  /** A worker that Temporal takes for dead, and that works on: another one does the same beside it. */
  async function partitions(): Promise<void> {
    const chance = createChance(seed, 'partitions');
    for (;;) {
      await pause(chance.between(1_000, 4_000));
      if (signal.aborted) return;
      const name = chance.pick(['worker 1', 'worker 2'] as const);
      note(`part ${name} from temporal`);
      world.lines[name].part();
      await pause(chance.between(14_000, 19_000));
      world.lines[name].join();
    }
  }

  /** As an operator does in the Temporal UI. */
  async function terminations(): Promise<void> {
    const chance = createChance(seed, 'terminations');
    for (;;) {
      await pause(chance.between(500, 2_000));
      if (signal.aborted) return;
      const made = [...ledger.sources.values()].filter(({ ids }) => ids.size > 0);
      if (made.length === 0) continue;
      const [id = ''] = chance.pick(made.slice(-8)).ids;
      const handle = world.temporal.workflow.getHandle(sourceWorkflowId(id));
      const done = withDeadline(world.temporal, () => handle.terminate('Storm'), 2_000);
      // Most have ended already, or Temporal is away.
      await done.then(
        () => note('terminate a run', { id }),
        () => undefined,
      );
    }
  }

  await Promise.all([
    ...Object.entries(fronts).map(([name, one]) => front(name, one)),
    // Often enough to fall between two statements that belong together.
    cuts('postgres', [400, 1_600]),
    cuts('temporal', [700, 3_000]),
    partitions(),
    terminations(),
  ]);
  return happenings;
}
