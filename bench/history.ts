/** When what happened in a run, from its history in Temporal. */
import type { Client } from '@temporalio/client';

/** Milliseconds since 1970, as Temporal wrote them. */
export interface RunTimes {
  started: number;
  firstTask: number;
  contextScheduled: number;
  contextStarted: number;
  contextDone: number;
  artifactsScheduled: number;
  artifactsStarted: number;
  artifactsDone: number;
  closed: number;
  events: number;
}

interface EventTime {
  seconds?: { toNumber(): number } | null;
  nanos?: number | null;
}

function milliseconds(time: EventTime | null | undefined): number {
  return (time?.seconds?.toNumber() ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}

/** @throws when the run is not one that extracted the context, then the artifacts, and completed. */
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
    contextScheduled: at('activityTaskScheduledEventAttributes', 0),
    contextStarted: at('activityTaskStartedEventAttributes', 0),
    contextDone: at('activityTaskCompletedEventAttributes', 0),
    artifactsScheduled: at('activityTaskScheduledEventAttributes', 1),
    artifactsStarted: at('activityTaskStartedEventAttributes', 1),
    artifactsDone: at('activityTaskCompletedEventAttributes', 1),
    closed: at('workflowExecutionCompletedEventAttributes'),
    events: history.length,
  };
}
