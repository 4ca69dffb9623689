import type { Evidence } from '../evidence.ts';

export function noOpenWorkflow({ runs }: Evidence): string[] {
  return [...new Set(runs.map(({ workflowId, runId }) => `${workflowId} (run ${runId}) is open`))];
}

export function noOutboxRow({ outbox }: Evidence): string[] {
  return outbox.map((row) => `the outbox holds ${JSON.stringify(row)}`);
}

/** What had not come to its end within the time for it. */
export function nothingIsOwed({ owed }: Evidence): string[] {
  return Object.entries(owed).flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
}

export function noProcessEnded({ ended }: Evidence): string[] {
  return ended;
}
