/** Names and versions of what reads content, so that a result tells what made it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const packageSchema = z.object({ name: z.string(), version: z.string() });
const versions = new Map<string, string>();

/** Like "mammoth 1.13.0" for a package that is installed; for null, of our own code, the service itself. */
export function parserOf(packageName: string | null): string {
  const name = packageName ?? 'context-workspace';
  const version = versions.get(name) ?? versionOf(packageName);
  versions.set(name, version);
  return `${name} ${version}`;
}

function versionOf(packageName: string | null): string {
  let folder = dirname(fileURLToPath(packageName === null ? import.meta.url : import.meta.resolve(packageName)));
  // Many packages do not export their package.json; it lies above what they do export.
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    try {
      const found = packageSchema.safeParse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).data;
      if (found !== undefined && found.name === (packageName ?? 'context-workspace')) return found.version;
    } catch {
      // Not in this folder.
    }
  }
  return 'of unknown version';
}
