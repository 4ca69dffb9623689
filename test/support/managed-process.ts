/**
 * A process of the service or a server that tests kill, pause and restart at the same address, together with all its
 * descendants. Descendants are read from /proc, so this works on Linux only.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../../apps/dev/servers/process.ts';
import { descendants, readProcesses } from './processes.ts';

const POLL_MS = 10;

interface RunningProcess {
  pid: number;
  stop(): Promise<void>;
}

export interface ManagedProcess {
  readonly name: string;
  /** Pid of the current process, or of the last one. */
  readonly pid: number;
  /** Starts it if it is not running, and resolves when it is ready. */
  start(): Promise<void>;
  /** Sends SIGKILL to it and its descendants, also while paused, and resolves when they have exited. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to it and its descendants: connections stay open, and nothing responds. */
  pause(): Promise<void>;
  /** Sends SIGCONT after `pause`. */
  resume(): Promise<void>;
  /** Shuts it down gracefully and resolves when it has exited. */
  stop(): Promise<void>;
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited since its pid was read.
  }
}

/** Pauses a process and its descendants, and returns their pids. Parents first, so that no new child is missed. */
async function pauseTree(pid: number): Promise<number[]> {
  const paused = new Set<number>();
  for (;;) {
    // Not by process group: each backend of PostgreSQL leads its own session.
    const tree = [pid, ...descendants(await readProcesses(), pid)];
    const others = tree.filter((id) => !paused.has(id));
    if (others.length === 0) return [...paused];
    for (const id of others) {
      signalTo(id, 'SIGSTOP');
      paused.add(id);
    }
  }
}

/** Waits until all have exited; zombies count as exited. */
async function awaitGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) while ((await commandLine(pid)) !== '') await delay(POLL_MS);
}

/**
 * Starts a managed process. `start` is also called for restarts: it must reuse the address and the stored data. Its
 * argument reports unexpected exits, which are passed on to `report`.
 */
export async function startManagedProcess(
  name: string,
  start: (report: (line: string) => void) => Promise<RunningProcess>,
  report: (line: string) => void,
): Promise<ManagedProcess> {
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
        // It can be started again.
        state = 'ended';
        throw error;
      }
    },
    async kill() {
      state = 'ended';
      // Paused first, so that none reacts to the exit of another or starts a new process.
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
