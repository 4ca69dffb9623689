/** All hostile documents; they are made on demand and deterministic. */
import { formats } from '../../../extraction/readers/formats/index.ts';
import { bombs } from './bombs.ts';
import { broken } from './broken.ts';
import type { HostileCase } from './case.ts';
import { nesting } from './nesting.ts';
import { sizes } from './sizes.ts';

/** Extensions of the supported formats, and of archives. Cases of unsupported formats are left out. */
const extensions: readonly string[] = ['zip', ...formats.flatMap((format) => [...format.extensions])];

export const corpus: readonly HostileCase[] = [...bombs, ...nesting, ...sizes, ...broken].filter(({ filename }) =>
  extensions.includes(filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()),
);
