import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Returns this project's folder in the user's cache (XDG base directories); it may not exist. */
export function userCache({ XDG_CACHE_HOME: xdg, HOME: home }: Readonly<Record<string, string | undefined>>): string {
  // The XDG specification: a relative path counts as unset.
  const base =
    xdg !== undefined && isAbsolute(xdg) ? xdg : join(home === undefined || home === '' ? homedir() : home, '.cache');
  return join(base, 'context-workspace');
}
