/** End times of bare runs, which their worker keeps in memory and serves over HTTP; polling them is cheap. */
import { createServer } from 'node:http';
import { z } from 'zod';
import { now } from '../clock.ts';

/** Worker's side: serves GET /health, /ended (a count) and /ended/<workflow id> (ms since 1970, 0 while it runs). */
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

async function fetchNumber(url: string): Promise<number> {
  return z.coerce.number().parse(await (await fetch(url)).text());
}

/** Returns the number of ended runs of the worker at `url`. */
export const countEnded = (url: string) => fetchNumber(`${url}/ended`);

/** Returns when the run ended, in milliseconds since 1970, or 0 while it is open. */
export const endOf = (url: string, workflowId: string) => fetchNumber(`${url}/ended/${workflowId}`);
