/** Repair of unsent support tickets whose run is lost. */
import { ticketWorkflowId } from '../../../contract/commands.ts';
import { claimStalledTickets } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { repeatSendCommand } from '../../../db/transitions/tickets/send-ticket.ts';
import { lostReason } from './classify-run.ts';
import { describeRun } from './describe-run.ts';
import { type Round, reconcileEach } from './reconcile-each.ts';

/** Sends the command of the ticket again. */
export async function reconcileTickets(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;
  const next = (limit: number) => claimStalledTickets(database.pool, config.RECONCILER_GRACE_SECONDS, limit);
  await reconcileEach(round, next, async ({ ticketId }) => {
    const described = await describeRun(temporal, ticketWorkflowId(ticketId));
    const run = lostReason(described, config);
    if (run === null || !(await repeatSendCommand(database.pool, ticketId, described.runId))) return;
    metrics.repairs.inc({ action: 'ticket', run });
    logger.warn({ event: 'ticket.repaired', ticketId, run });
  });
}
