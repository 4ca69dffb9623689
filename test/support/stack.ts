/** The one stack that `npm test` starts: servers, a migrated database, an API and a worker. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const stackSchema = z.object({
  /** Where processes that a test starts for itself keep their logs. */
  dataFolder: z.string(),
  /** Environment for processes of the service: addresses and keys of all servers. */
  settings: z.record(z.string(), z.string()),
  apiUrl: z.string(),
  workerUrl: z.string(),
  /** Receives postbacks and serves pages; see site.ts. */
  siteUrl: z.string(),
});
export type Stack = z.infer<typeof stackSchema>;

/** The running stack. */
export function stack(): Stack {
  const file = process.env.TEST_STACK_FILE;
  if (file === undefined)
    throw new Error(
      'No servers are running: run the file with `npx jest <path>`, by a project that starts them (jest.config.js).',
    );
  return stackSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
