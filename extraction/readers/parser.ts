/** Names and versions of parsers, which are stored with results. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const packageSchema = z.object({ name: z.string(), version: z.string() });
const versions = new Map<string, string>();

/** Name and version, such as "mammoth 1.13.0", of an installed package; of this service for null. */
export function parserOf(packageName: string | null): string {
  const name = packageName ?? 'context-workspace';
  const version = versions.get(name) ?? versionOf(packageName);
  versions.set(name, version);
  return `${name} ${version}`;
}

function versionOf(packageName: string | null): string {
  let folder = dirname(fileURLToPath(packageName === null ? import.meta.url : import.meta.resolve(packageName)));
  // Many packages do not export their package.json, so it is searched for above the exported file.
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
