/** What processes take, from /proc: Linux only, elsewhere there is nothing to see. */
import { readdir, readFile } from 'node:fs/promises';

/** Kernel ticks are 1/100 s on every platform that Node runs on (USER_HZ). */
const MS_PER_TICK = 10;

interface ProcessLine {
  parent: number;
  /** CPU time of the process, and of its children that have ended. */
  ownMs: number;
  endedChildrenMs: number;
}

export type ProcessTable = ReadonlyMap<number, ProcessLine>;

/** All processes of the machine (proc_pid_stat(5)); one that ends meanwhile is left out. */
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

/** The ids of the living descendants of a process, without itself. */
export function descendants(table: ProcessTable, pid: number): number[] {
  const children = [...table].filter(([, line]) => line.parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendants(table, child)]);
}

/** CPU time of one process without its children. */
export function ownCpuMs(table: ProcessTable, pid: number): number {
  return table.get(pid)?.ownMs ?? 0;
}

/** CPU time of all that a process ever started, the living and the ended. */
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

/** The most resident memory that a process ever had (VmHWM), in MiB; undefined where it has ended or is not shown. */
export async function peakMiB(pid: number): Promise<number | undefined> {
  const found = await kilobytes(`/proc/${pid}/status`, 'VmHWM');
  return found === undefined ? undefined : found / 1024;
}

/** What processes take together now, each page that they share counted once (Pss), in MiB. */
export async function sharedMiB(pids: readonly number[]): Promise<number | undefined> {
  const found = await Promise.all(pids.map((pid) => kilobytes(`/proc/${pid}/smaps_rollup`, 'Pss')));
  const known = found.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / 1024;
}
