/**
 * A process that tests kill, pause and start again at the same address: one of the service, or one of its servers.
 * All that it started shares its fate. What a process started is read from /proc, so this is for Linux alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../../apps/dev/servers/process.ts';
import { descendants, readProcesses } from './processes.ts';

const POLL_MS = 10;

interface RunningProcess {
  pid: number;
  stop(): Promise<void>;
}

export interface Part {
  readonly name: string;
  /** Of the process that runs, or of the one that ran last. */
  readonly pid: number;
  /** Starts it where it does not run, and returns once it answers. */
  start(): Promise<void>;
  /** Ends it and all that it started with SIGKILL, also while it is paused, and returns when they are gone. */
  kill(): Promise<void>;
  /** Stops it and all that it started with SIGSTOP: connections stay open, and nothing answers. */
  pause(): Promise<void>;
  /** Lets it go on after `pause`. */
  resume(): Promise<void>;
  /** Asks it to end and returns when it is gone. */
  stop(): Promise<void>;
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the call.
  }
}

/** Pauses a process and its descendants, and returns their ids. Parents go first, so that no child is missed. */
async function pauseTree(pid: number): Promise<number[]> {
  const paused = new Set<number>();
  for (;;) {
    // Not by process group: each backend of PostgreSQL leads a session of its own.
    const tree = [pid, ...descendants(await readProcesses(), pid)];
    const others = tree.filter((id) => !paused.has(id));
    if (others.length === 0) return [...paused];
    for (const id of others) {
      signalTo(id, 'SIGSTOP');
      paused.add(id);
    }
  }
}

/** Waits until none of them runs; one that nobody has collected yet counts as gone. */
async function awaitGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) while ((await commandLine(pid)) !== '') await delay(POLL_MS);
}

/**
 * Starts a part. `start` must find again what an earlier process of the part has kept, at the same address. It hands
 * the process what tells of an end that nobody asked for, and so does `report`.
 */
export async function startPart(
  name: string,
  start: (report: (line: string) => void) => Promise<RunningProcess>,
  report: (line: string) => void,
): Promise<Part> {
  let state: 'running' | 'ended' = 'running';
  let paused: number[] = [];
  const startProcess = () =>
    start((line) => {
      if (state === 'running') report(line);
    });
  let running = await startProcess();

  async function resume(): Promise<void> {
    for (const pid of paused.splice(0)) signalTo(pid, 'SIGCONT');
  }

  return {
    name,
    get pid() {
      return running.pid;
    },
    async start() {
      if (state === 'running') return;
      state = 'running';
      try {
        running = await startProcess();
      } catch (error) {
        // It may be started again.
        state = 'ended';
        throw error;
      }
    },
    async kill() {
      state = 'ended';
      // Paused first: none of them sees another one's end, nor starts anything more.
      const tree = await pauseTree(running.pid);
      paused = [];
      for (const pid of tree) signalTo(pid, 'SIGKILL');
      await awaitGone(tree);
      await running.stop();
    },
    async pause() {
      paused = await pauseTree(running.pid);
    },
    resume,
    async stop() {
      state = 'ended';
      await resume();
      await running.stop();
    },
  };
}
