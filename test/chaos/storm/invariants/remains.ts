/** Nothing is left to do, and nothing went wrong that no fault explains. */
import type { FinalState } from '../final-state.ts';

export function noOpenWorkflow({ runs }: FinalState): string[] {
  return [...new Set(runs.map(({ workflowId, runId }) => `${workflowId} (run ${runId}) is open`))];
}

export function noOutboxRow({ outbox }: FinalState): string[] {
  return outbox.map((row) => `the outbox holds ${JSON.stringify(row)}`);
}

/** What had not come to its end within the time for it. */
export function nothingIsPending({ pending }: FinalState): string[] {
  return Object.entries(pending).flatMap(([name, count]) => (count === 0 ? [] : [`${name}: ${count}`]));
}

export function noProcessEnded({ ended }: FinalState): string[] {
  return ended;
}

/** Servers that are away are 503; a 500 is a bug. */
export function noInternalError({ logs }: FinalState): string[] {
  return logs
    .filter(({ line }) => line.includes('"event":"request.failed"') && line.includes('"status":500'))
    .map(({ process, line }) => `${process}: ${line.slice(0, 600)}`);
}

/** Quotas are judged by what is there: nothing that is gone counts, and nothing counts twice. */
export function quotasCountWhatIsThere({ usage, stillOpen }: FinalState): string[] {
  return [
    ...usage.map((one) => `the usage is counted wrong: ${JSON.stringify(one)}`),
    ...stillOpen.map((id) => `${id} has ended and counts as an open run`),
  ];
}
