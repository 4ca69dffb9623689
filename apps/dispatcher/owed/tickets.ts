/** Unsent support tickets whose run is closed or missing. */
import { ticketWorkflowId } from '../../../contract/commands.ts';
import { findStalledTickets } from '../../../db/queries/find-owed.ts';
import { markTicketChecked, repeatSendCommand } from '../../../db/transitions/send-ticket.ts';
import { describeRun } from '../describe-run.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { eachOwed } from '../each-owed.ts';

const BATCH = 100;

/** Sends the command of the ticket again. */
export async function reconcileTickets(deps: DispatcherDependencies): Promise<void> {
  const { config, database, temporal, logger, metrics } = deps;
  const stalled = await findStalledTickets(database.pool, config.RECONCILER_GRACE_SECONDS, BATCH);
  await eachOwed(deps, stalled, async ({ ticketId }) => {
    const run = await describeRun(temporal, ticketWorkflowId(ticketId));
    await markTicketChecked(database.pool, ticketId);
    if (run.state === 'open' || !(await repeatSendCommand(database.pool, ticketId))) return;
    metrics.repairs.inc({ action: 'ticket' });
    logger.warn({ event: 'ticket.repaired', ticketId, run: run.state });
  });
}
