/** Samples of test/samples/<format>/ with their expected results in <name>.expected.json. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const samplesFolder = fileURLToPath(new URL('../samples', import.meta.url));
const expectationEnding = '.expected.json';

const expectationSchema = z.object({
  /** How the sample was made, or its source and licence. */
  origin: z.string(),
  /** Base URL for relative links. */
  url: z.string().nullable().default(null),
  /** Expected strings as plain text, in document order. */
  strings: z.array(z.string().min(1)).default([]),
  tables: z.array(z.object({ header: z.array(z.string()), rows: z.int().min(0) })).default([]),
  title: z.string().nullish(),
  /** The whole main text of a web page, in pieces. */
  main: z.array(z.string()).nullable().default(null),
  /** Strings that must not occur. */
  absent: z.array(z.string()).default([]),
});
export type Expectation = z.infer<typeof expectationSchema>;

export interface Sample {
  /** Name of the folder. */
  format: string;
  filename: string;
  path: string;
  bytes: Uint8Array;
  expected: Expectation;
}

/** Returns the formats that have samples, in alphabetical order. */
export async function sampleFormats(): Promise<string[]> {
  const entries = await readdir(samplesFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'make').map(({ name }) => name);
  return names.toSorted();
}

/** Returns the samples of a format by name. Ignores files without expectations. @throws on an invalid expectation. */
export async function samplesOf(format: string): Promise<Sample[]> {
  const folder = join(samplesFolder, format);
  const files = await readdir(folder);
  const samples: Sample[] = [];
  for (const filename of files.toSorted()) {
    if (filename.endsWith(expectationEnding)) continue;
    const stems = [filename, basename(filename, extname(filename))];
    const expectation = stems.map((stem) => stem + expectationEnding).find((name) => files.includes(name));
    if (expectation === undefined) continue;
    const path = join(folder, filename);
    const parsed = expectationSchema.safeParse(JSON.parse(await readFile(join(folder, expectation), 'utf8')));
    if (!parsed.success) throw new Error(`${format}/${expectation}: ${z.prettifyError(parsed.error)}`);
    samples.push({ format, filename, path, bytes: new Uint8Array(await readFile(path)), expected: parsed.data });
  }
  return samples;
}
