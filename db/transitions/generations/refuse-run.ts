import { sourceErrors } from '../../../contract/errors.ts';
import type { Database } from '../../orm.ts';
import { transaction } from '../../sql.ts';
import { type ClaimedCommand, removeCommands } from '../outbox/claim-commands.ts';
import { endGeneration } from './end-generation.ts';

const runRefused = {
  code: 'run_refused',
  stage: 'begin',
  message: `The workflow server rejected the run. ${sourceErrors.run_refused.remedy}`,
  retryable: sourceErrors.run_refused.retryable,
} as const;

/** Removes a command that Temporal keeps rejecting; its generation ends as FAILED with `run_refused`. */
export async function refuseRun(
  database: Database,
  publicUrl: string,
  command: ClaimedCommand,
  leaseToken: string,
): Promise<void> {
  await transaction(database, async (session) => {
    const { sourceId, generation } = command;
    if (sourceId !== null && generation !== null) {
      await endGeneration(session, publicUrl, { sourceId, generation }, { status: 'FAILED', error: runRefused });
    }
    await removeCommands(session, [command.id], leaseToken);
  });
}
