/** Event times of a run, from its history in Temporal. */
import type { Client } from '@temporalio/client';

/** Event times in milliseconds since 1970, by Temporal's clock. */
export interface RunTimes {
  started: number;
  firstTask: number;
  /** Regular activities, in the order in which they were scheduled. */
  activities: { scheduled: number; started: number; done: number }[];
  closed: number;
  /** Number of history events. */
  events: number;
}

interface EventTime {
  seconds?: { toNumber(): number } | null;
  nanos?: number | null;
}

function milliseconds(time: EventTime | null | undefined): number {
  return (time?.seconds?.toNumber() ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}

/** @throws when the run or one of its activities has not completed. */
export async function readRunTimes(client: Client, workflowId: string): Promise<RunTimes> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const history = events ?? [];
  const at = (what: keyof (typeof history)[number], occurrence = 0): number => {
    const event = history.filter((candidate) => candidate[what])[occurrence];
    if (event === undefined) throw new Error(`${workflowId} has no ${what} ${occurrence}.`);
    return milliseconds(event.eventTime);
  };
  return {
    started: at('workflowExecutionStartedEventAttributes'),
    firstTask: at('workflowTaskStartedEventAttributes'),
    activities: history
      .filter((event) => event.activityTaskScheduledEventAttributes)
      .map((_, index) => ({
        scheduled: at('activityTaskScheduledEventAttributes', index),
        started: at('activityTaskStartedEventAttributes', index),
        done: at('activityTaskCompletedEventAttributes', index),
      })),
    closed: at('workflowExecutionCompletedEventAttributes'),
    events: history.length,
  };
}
