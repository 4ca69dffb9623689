/** Sends one command of the outbox to Temporal. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  type ArtifactRound,
  artifactWorkflow,
  artifactWorkflowId,
  type PurgeSubject,
  purgeWorkflow,
  purgeWorkflowId,
  type SourceRunInput,
  type SpaceDeletion,
  sourceWorkflow,
  sourceWorkflowId,
  spaceDeletionWorkflow,
  spaceDeletionWorkflowId,
  ticketWorkflow,
  ticketWorkflowId,
} from '../../../contract/commands.ts';
import type { ClaimedCommand } from '../../../db/transitions/outbox/claim-commands.ts';
import type { Config } from '../../../platform/config.ts';
import { withDeadline } from '../../../platform/temporal.ts';
import { startOptions, summaryOf } from './start-options.ts';

/** A start of a run, or with `signal` a signal to it. */
interface Call {
  workflow: string;
  workflowId: string;
  /** Of the run, shown in its summary. */
  kind: string;
  /** Of the source's URL; shown in the summary unless TEMPORAL_SHOW_NAMES is set. */
  host?: string | undefined;
  /** Of the source, space or artifact; shown in the summary where TEMPORAL_SHOW_NAMES is set. */
  name?: string | null;
  input: unknown;
  signal?: { name: string; payload: unknown };
}

/** Returns a column that is never null for commands of this kind. @throws Error where it is */
function required<T>(value: T | null, { id, command }: ClaimedCommand): T {
  if (value === null) throw new Error(`The command ${id} (${command}) lacks a required column.`);
  return value;
}

/** Returns the run and signal of a command. A purge has no name: its run outlives the source or space. */
function callOf(command: ClaimedCommand): Call {
  switch (command.command) {
    case 'process': {
      const artifactId = required(command.artifactId, command);
      const input: ArtifactRound = { artifactId, round: required(command.round, command) };
      const signal = { name: command.command, payload: { round: input.round } };
      return {
        workflow: artifactWorkflow,
        workflowId: artifactWorkflowId(artifactId),
        kind: 'Artifact',
        name: command.subject,
        input,
        signal,
      };
    }
    case 'send': {
      const ticketId = required(command.ticketId, command);
      return {
        workflow: ticketWorkflow,
        workflowId: ticketWorkflowId(ticketId),
        kind: 'Support ticket',
        input: ticketId,
      };
    }
    case 'cancel_sources': {
      const input: SpaceDeletion = {
        spaceId: required(command.spaceId, command),
        deletionId: required(command.deletionId, command),
      };
      const workflowId = spaceDeletionWorkflowId(input);
      return {
        workflow: spaceDeletionWorkflow,
        workflowId,
        kind: 'Deletion of the space',
        name: command.subject,
        input,
      };
    }
    case 'purge': {
      const input: PurgeSubject =
        command.sourceId === null
          ? { of: 'space', id: required(command.spaceId, command) }
          : { of: 'source', id: command.sourceId };
      return { workflow: purgeWorkflow, workflowId: purgeWorkflowId(input), kind: `Purge of the ${input.of}`, input };
    }
    default: {
      const sourceId = required(command.sourceId, command);
      const generation = required(command.generation, command);
      const call = {
        workflow: sourceWorkflow,
        workflowId: sourceWorkflowId(sourceId),
        kind: command.sourceType ?? '',
        host: command.address === null ? undefined : URL.parse(command.address)?.host,
        name: command.subject,
      };
      if (command.command === 'start') return { ...call, input: { sourceId, generation } satisfies SourceRunInput };
      return {
        ...call,
        input: { sourceId, generation: 0 } satisfies SourceRunInput,
        signal: { name: command.command, payload: { generation } },
      };
    }
  }
}

/**
 * Sends a command to Temporal: a start, or a signal with start. Commands may arrive in any order and more than once,
 * since each run reads the current state from the database.
 */
export async function sendCommand(
  client: Client,
  config: Pick<Config, 'TEMPORAL_TASK_QUEUE' | 'TEMPORAL_SHOW_NAMES'>,
  command: ClaimedCommand,
): Promise<void> {
  const { workflow, workflowId, kind, host, name, input, signal } = callOf(command);
  const summary = summaryOf(kind, config.TEMPORAL_SHOW_NAMES ? name : host);
  const options = { ...startOptions(config.TEMPORAL_TASK_QUEUE, workflowId, summary, command), args: [input] };
  if (command.endRunId !== null) await terminateRun(client, workflowId, command.endRunId);
  await withDeadline(client, async () => {
    if (signal === undefined) await client.workflow.start(workflow, options);
    else {
      await client.workflow.signalWithStart(workflow, {
        ...options,
        signal: signal.name,
        signalArgs: [signal.payload],
      });
    }
  });
}

/** Terminates exactly the run that a repair replaces; a missing run is not an error. */
async function terminateRun(client: Client, workflowId: string, runId: string): Promise<void> {
  try {
    await withDeadline(client, () =>
      client.workflow.getHandle(workflowId, runId).terminate('Replaced by a repair of the service'),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
