/** Open files that whoever started this process left open in it, such as the lock of a script. */
import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC of Linux. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors above 2 that a process which this one starts would inherit: all but those that close when another program
 * begins (proc_pid_fdinfo(5)). Node marks what it opens itself, and at its start what follows its standard streams without a
 * gap. Empty on systems without /proc.
 */
export function inheritedDescriptors(): number[] {
  return openDescriptors().filter((fd) => fd > 2 && (flagsOf(fd) & CLOSE_ON_EXEC) === 0);
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

/** Of one that is closed by now, as that of the folder that was just listed: nobody inherits it. */
function flagsOf(fd: number): number {
  try {
    return Number.parseInt(/^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0', 8);
  } catch {
    return CLOSE_ON_EXEC;
  }
}
