import type { Database } from '../orm.ts';
import { transaction } from '../sql.ts';
import { type ClaimedCommand, removeCommands } from './claim-commands.ts';
import { endGeneration } from './end-generation.ts';

/** Gives a command up that Temporal keeps refusing: its generation ends FAILED `run_refused`. */
export async function refuseRun(
  database: Database,
  publicUrl: string,
  command: ClaimedCommand,
  leaseToken: string,
): Promise<void> {
  await transaction(database, async (session) => {
    await endGeneration(session, publicUrl, command, {
      status: 'FAILED',
      error: {
        code: 'run_refused',
        stage: 'begin',
        message: 'The workflow server refused the run. Reprocess the source; if that fails again, tell the operator.',
        retryable: true,
      },
    });
    await removeCommands(session, [command.id], leaseToken);
  });
}
