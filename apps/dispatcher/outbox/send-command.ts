/** Hands a command of the outbox to Temporal. */
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

/** A run to be started, or to be told something where it is open. */
interface Call {
  workflow: string;
  workflowId: string;
  /** What operators read of it. */
  kind: string;
  /** Of an address; and the name of what it is about, which operators read in its place where the settings say so. */
  host?: string | undefined;
  name?: string | null;
  input: unknown;
  signal?: { name: string; payload: unknown };
}

/** The column that a command of its kind always has. */
function given<T>(value: T | null, { id, command }: ClaimedCommand): T {
  if (value === null) throw new Error(`The command ${id} (${command}) lacks what it is about.`);
  return value;
}

/** Which run a command is for, and what it says to it. A purge never shows a name: its run outlives what it is about. */
function callOf(command: ClaimedCommand): Call {
  switch (command.command) {
    case 'process': {
      const artifactId = given(command.artifactId, command);
      const input: ArtifactRound = { artifactId, round: given(command.round, command) };
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
      const ticketId = given(command.ticketId, command);
      return {
        workflow: ticketWorkflow,
        workflowId: ticketWorkflowId(ticketId),
        kind: 'Support ticket',
        input: ticketId,
      };
    }
    case 'cancel_sources': {
      const input: SpaceDeletion = {
        spaceId: given(command.spaceId, command),
        deletionId: given(command.deletionId, command),
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
          ? { of: 'space', id: given(command.spaceId, command) }
          : { of: 'source', id: command.sourceId };
      return { workflow: purgeWorkflow, workflowId: purgeWorkflowId(input), kind: `Purge of the ${input.of}`, input };
    }
    default: {
      const sourceId = given(command.sourceId, command);
      const generation = given(command.generation, command);
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
 * Hands a command to Temporal: a start, or a signal to the run, which is started where none is open. Any order and any
 * repetition of commands ends in a run that begins and finds what is true in the database.
 */
export async function sendCommand(
  client: Client,
  config: Pick<Config, 'TEMPORAL_TASK_QUEUE' | 'TEMPORAL_SHOW_NAMES'>,
  command: ClaimedCommand,
): Promise<void> {
  const { workflow, workflowId, kind, host, name, input, signal } = callOf(command);
  const summary = summaryOf(kind, config.TEMPORAL_SHOW_NAMES ? name : host);
  const options = { ...startOptions(config.TEMPORAL_TASK_QUEUE, workflowId, summary, command), args: [input] };
  if (command.endRunId !== null) await endRun(client, workflowId, command.endRunId);
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
