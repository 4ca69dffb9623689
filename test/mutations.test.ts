/** The mutants of `npm run chaos:mutants` fit the code as it is, so that none of them is skipped unseen. */
import { readFileSync } from 'node:fs';
import { mutants } from './chaos/storm/mutations.ts';

test.each(Object.entries(mutants))(
  'every text that the mutant "%s" replaces occurs exactly once',
  (_, { replacements }) => {
    expect(replacements.length).toBeGreaterThan(0);
    const counts = replacements.map(({ file, find }) => readFileSync(file, 'utf8').split(find).length - 1);
    expect(counts).toEqual(replacements.map(() => 1));
  },
);
