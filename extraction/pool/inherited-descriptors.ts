/** File descriptors that this process inherited from its parent, such as the lock file of a script. */
import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC of Linux. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors above 2 that a spawned process would inherit, which are those without the close-on-exec flag
 * (proc_pid_fdinfo(5)). Node sets the flag on descriptors that it opens, and at its start on those that follow the
 * standard streams without a gap. Empty on systems without /proc.
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

/** Open flags of a descriptor; CLOSE_ON_EXEC for one that is closed by now, such as that of the folder listing. */
function flagsOf(fd: number): number {
  try {
    return Number.parseInt(/^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0', 8);
  } catch {
    return CLOSE_ON_EXEC;
  }
}
