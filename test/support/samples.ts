/** The samples of test/samples/<format>/, each with what a reader expects of it in <name>.expected.json. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const samplesFolder = fileURLToPath(new URL('../samples', import.meta.url));
const expectationEnding = '.expected.json';

const expectationSchema = z.object({
  /** How the sample was made, or where it is from, with its licence. */
  origin: z.string(),
  /** Where the content is said to come from: relative links are resolved against it. */
  url: z.string().nullable().default(null),
  /** What a reader finds, as plain text, in the order of the document. */
  strings: z.array(z.string().min(1)).default([]),
  tables: z.array(z.object({ header: z.array(z.string()), rows: z.int().min(0) })).default([]),
  title: z.string().nullish(),
  /** The whole main text of a web page, piece by piece. */
  main: z.array(z.string()).nullable().default(null),
  /** What must not come out. */
  absent: z.array(z.string()).default([]),
});
export type Expectation = z.infer<typeof expectationSchema>;

export interface Sample {
  /** The folder's name. */
  format: string;
  filename: string;
  path: string;
  bytes: Uint8Array;
  expected: Expectation;
}

/** The formats that have samples, in alphabetical order. */
export async function sampleFormats(): Promise<string[]> {
  const entries = await readdir(samplesFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'make').map(({ name }) => name);
  return names.toSorted();
}

/** The samples of a format by name; files without expectations are none. @throws where an expectation is no such */
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
