import type { Client } from '@temporalio/client';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey, WorkflowIdReusePolicy } from '@temporalio/common';
import { type SourceRunInput, sourceWorkflow, sourceWorkflowId } from '../../contract/commands.ts';
import type { ClaimedCommand } from '../../db/transitions/claim-commands.ts';
import { withDeadline } from '../../platform/temporal.ts';

const keys = {
  OwnerId: defineSearchAttributeKey('OwnerId', 'KEYWORD'),
  SpaceId: defineSearchAttributeKey('SpaceId', 'KEYWORD'),
  SourceId: defineSearchAttributeKey('SourceId', 'KEYWORD'),
  SourceType: defineSearchAttributeKey('SourceType', 'KEYWORD'),
};

/** Temporal shows at most 200 bytes of a summary. */
function summaryOf(command: ClaimedCommand): string {
  const name = new TextEncoder().encode(`${command.sourceType}: ${command.sourceName}`);
  return new TextDecoder().decode(name.slice(0, 190)).replace(/\uFFFD+$/, '');
}

/**
 * Hands a command to Temporal: a start, or a signal to the run of the source, which is started where none is open.
 * Any order and any repetition of commands ends in a run that begins and finds what is true in the database.
 */
export async function sendCommand(client: Client, taskQueue: string, command: ClaimedCommand): Promise<void> {
  const workflowId = sourceWorkflowId(command.sourceId);
  const options = {
    taskQueue,
    workflowId,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: [
      { key: keys.OwnerId, value: command.ownerId },
      { key: keys.SpaceId, value: command.spaceId },
      { key: keys.SourceId, value: command.sourceId },
      { key: keys.SourceType, value: command.sourceType },
    ],
    staticSummary: summaryOf(command),
    priority: { fairnessKey: command.ownerId },
  };
  if (command.endRunId !== null) await endRun(client, workflowId, command.endRunId);
  await withDeadline(client, async () => {
    if (command.command === 'start') {
      const input: SourceRunInput = { sourceId: command.sourceId, generation: command.generation };
      try {
        await client.workflow.start(sourceWorkflow, { ...options, args: [input] });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
      return;
    }
    const input: SourceRunInput = { sourceId: command.sourceId, generation: 0 };
    await client.workflow.signalWithStart(sourceWorkflow, {
      ...options,
      args: [input],
      signal: command.command,
      signalArgs: [{ generation: command.generation }],
    });
  });
}

/** Ends exactly the run that a repair replaces; a run that is gone is fine. */
async function endRun(client: Client, workflowId: string, runId: string): Promise<void> {
  try {
    await withDeadline(client, () =>
      client.workflow.getHandle(workflowId, runId).terminate('Replaced by a repair of the service'),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
