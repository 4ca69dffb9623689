/** Invariants about leftovers: no open work, no unexpected exits, no internal errors. */
import type { FinalState } from '../final-state.ts';

export function noOpenWorkflow({ runs }: FinalState): string[] {
  return [...new Set(runs.map(({ workflowId, runId }) => `${workflowId} (run ${runId}) is open`))];
}

export function noOutboxRow({ outbox }: FinalState): string[] {
  return outbox.map((row) => `the outbox has ${JSON.stringify(row)}`);
}

/** Items that were still pending when the settling time was over. */
export function nothingIsPending({ pending }: FinalState): string[] {
  return Object.entries(pending).flatMap(([name, count]) => (count === 0 ? [] : [`${name}: ${count}`]));
}

export function noUnexpectedExit({ ended }: FinalState): string[] {
  return ended;
}

/** A dependency that is down causes 503; a 500 is a bug. */
export function noInternalError({ logs }: FinalState): string[] {
  return logs
    .filter(({ line }) => line.includes('"event":"request.failed"') && line.includes('"status":500'))
    .map(({ process, line }) => `${process}: ${line.slice(0, 600)}`);
}

/** Usage counters for quotas match the rows: removed rows do not count, and no row counts twice. */
export function usageCountersMatchRows({ usage, countedAsOpen }: FinalState): string[] {
  return [
    ...usage.map((one) => `wrong usage counter: ${JSON.stringify(one)}`),
    ...countedAsOpen.map((id) => `${id} has ended but counts as an open run`),
  ];
}
