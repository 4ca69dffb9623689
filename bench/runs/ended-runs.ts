/** How a bench learns that bare runs have ended: a poll of their worker's memory, as cheap as one of the database. */
import { createServer } from 'node:http';
import { z } from 'zod';
import { now } from '../clock.ts';

/** What the worker keeps, and how it tells: GET /health, /ended (a count) and /ended/<workflow id> (ms since 1970). */
export function createEndedRuns() {
  const ended = new Map<string, number>();
  let healthy = false;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const at = ended.get(path.slice('/ended/'.length));
    if (path === '/health' && !healthy) response.writeHead(503).end();
    else if (path === '/health') response.end();
    else if (path === '/ended') response.end(String(ended.size));
    else response.end(at === undefined ? '0' : String(at));
  });
  return {
    add: (workflowId: string) => void ended.set(workflowId, now()),
    setHealthy: () => {
      healthy = true;
    },
    listen: (host: string, port: number) =>
      new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function read(url: string): Promise<number> {
  return z.coerce.number().parse(await (await fetch(url)).text());
}

/** How many runs of the worker at `url` have ended so far. */
export const countEnded = (url: string) => read(`${url}/ended`);

/** When the run ended, in milliseconds since 1970, or 0 where it has not yet. */
export const endOf = (url: string, workflowId: string) => read(`${url}/ended/${workflowId}`);
