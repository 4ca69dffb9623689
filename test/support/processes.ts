/** CPU time and memory of processes, from /proc. Empty or undefined on systems other than Linux. */
import { readdir, readFile } from 'node:fs/promises';

/** Kernel ticks are 1/100 s on every platform that Node runs on (USER_HZ). */
const MS_PER_TICK = 10;

interface ProcessLine {
  parent: number;
  /** CPU milliseconds of the process, and of its exited children. */
  ownMs: number;
  endedChildrenMs: number;
}

export type ProcessTable = ReadonlyMap<number, ProcessLine>;

/** Reads all processes of the machine (proc_pid_stat(5)); processes that exit meanwhile are left out. */
export async function readProcesses(): Promise<ProcessTable> {
  const table = new Map<number, ProcessLine>();
  const entries = await readdir('/proc').catch(() => []);
  await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (entry) => {
        const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => undefined);
        if (text === undefined) return;
        // The second field is the command in parentheses and may hold spaces; the third is fields[0].
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        const ms = (field: number) => Number(fields[field - 3]) * MS_PER_TICK;
        table.set(Number(entry), {
          parent: Number(fields[1]),
          ownMs: ms(14) + ms(15),
          endedChildrenMs: ms(16) + ms(17),
        });
      }),
  );
  return table;
}

/** Returns the pids of the running descendants of a process, without itself. */
export function descendants(table: ProcessTable, pid: number): number[] {
  const children = [...table].filter(([, line]) => line.parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendants(table, child)]);
}

/** CPU milliseconds of one process without its children. */
export function ownCpuMs(table: ProcessTable, pid: number): number {
  return table.get(pid)?.ownMs ?? 0;
}

/** CPU milliseconds of all descendants of a process, running and exited. */
export function childrenCpuMs(table: ProcessTable, pid: number): number {
  const living = descendants(table, pid).reduce((sum, child) => {
    const line = table.get(child);
    return sum + (line === undefined ? 0 : line.ownMs + line.endedChildrenMs);
  }, 0);
  return living + (table.get(pid)?.endedChildrenMs ?? 0);
}

async function kilobytes(file: string, name: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Peak resident memory of a process (VmHWM), in MiB; undefined if it has exited or /proc does not show it. */
export async function peakMiB(pid: number): Promise<number | undefined> {
  const found = await kilobytes(`/proc/${pid}/status`, 'VmHWM');
  return found === undefined ? undefined : found / 1024;
}

/** Current memory of several processes in MiB, with shared pages counted once (Pss). */
export async function sharedMiB(pids: readonly number[]): Promise<number | undefined> {
  const found = await Promise.all(pids.map((pid) => kilobytes(`/proc/${pid}/smaps_rollup`, 'Pss')));
  const known = found.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / 1024;
}
