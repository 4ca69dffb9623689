/** Everything that strangers send, made when it is asked for and the same each time. */
import { formats } from '../../../extraction/readers/formats/index.ts';
import { bombs } from './bombs.ts';
import { broken } from './broken.ts';
import type { HostileCase } from './case.ts';
import { nesting } from './nesting.ts';
import { sizes } from './sizes.ts';

/** An archive is of no format, and so is what cannot be read yet: it ends before anything in it counts. */
const extensions: readonly string[] = ['zip', ...formats.flatMap((format) => [...format.extensions])];

export const corpus: readonly HostileCase[] = [...bombs, ...nesting, ...sizes, ...broken].filter(({ filename }) =>
  extensions.includes(filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()),
);
