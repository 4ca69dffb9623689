/** Carries commands from the outbox to Temporal: at once when one is written, and by a sweep for what was missed. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { listen } from '../../db/listen.ts';
import type { Database } from '../../db/orm.ts';
import {
  type ClaimedCommand,
  claimCommands,
  postponeCommand,
  removeCommands,
} from '../../db/transitions/claim-commands.ts';
import { refuseRun } from '../../db/transitions/refuse-run.ts';
import type { Config } from '../../platform/config.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Storage } from '../../platform/storage.ts';
import { isRefusal } from '../../platform/temporal.ts';
import { exposeBacklog } from './backlog.ts';
import { sendCommand } from './send-command.ts';

const LEASE_SECONDS = 30;
/** Refusals by Temporal before a command is given up and its generation ends as `run_refused`. */
const MOST_REFUSALS = 20;
/** Pause after Temporal was out of reach, so that a full outbox does not hammer it. */
const AWAY_PAUSE_MS = 1_000;
const LONGEST_BACKOFF_SECONDS = 60;

export interface DispatcherDependencies {
  config: Config;
  database: Database;
  storage: Storage;
  temporal: Client;
  logger: Logger;
  metrics: Metrics;
}

export interface Dispatcher {
  /** Takes no more commands and waits for those under way. */
  stop(): Promise<void>;
}

/** What a log line names of a command. */
function idsOf({ id, sourceId, spaceId, generation, artifactId, ticketId }: ClaimedCommand) {
  return { outboxId: id, sourceId, spaceId, generation, artifactId, ticketId };
}

/** Starts dispatching. Any number of dispatchers may run beside each other. */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { config, database, temporal, logger, metrics } = deps;
  const leaseToken = randomUUID();
  const underWay = new Set<Promise<void>>();
  let sent: number[] = [];
  let removal: Promise<void> | undefined;
  let pumping: Promise<void> | undefined;
  let again = false;
  let awayUntil = 0;
  let stopped = false;

  /** Claims while there are commands and free slots; a call during that makes it go round once more. */
  function pump(): void {
    again = true;
    if (pumping || stopped) return;
    pumping = (async () => {
      while (again && !stopped) {
        again = false;
        const free = config.DISPATCHER_CONCURRENCY - underWay.size;
        if (free <= 0 || Date.now() < awayUntil) break;
        const claimed = await claimCommands(database.pool, free, LEASE_SECONDS, leaseToken);
        for (const command of claimed) dispatch(command);
        again ||= claimed.length === free;
      }
    })()
      .catch((error: unknown) => logger.warn({ event: 'dispatcher.claim_failed', err: error }))
      .finally(() => {
        pumping = undefined;
      });
  }

  function dispatch(command: ClaimedCommand): void {
    const work = deliver(command).finally(() => {
      underWay.delete(work);
      pump();
    });
    underWay.add(work);
  }

  async function deliver(command: ClaimedCommand): Promise<void> {
    const ids = idsOf(command);
    // In both cases the row stays leased and comes back by itself.
    const kept = (event: string) => (err: unknown) => logger.warn({ event, ...ids, err });
    try {
      await sendCommand(temporal, config.TEMPORAL_TASK_QUEUE, command);
    } catch (error) {
      await failed(command, error).catch(kept('command.postpone_failed'));
      return;
    }
    metrics.commandsSent.inc({ command: command.command, outcome: 'sent' });
    logger.debug({ event: 'command.sent', command: command.command, ...ids });
    sent.push(command.id);
    await removeSent().catch(kept('command.remove_failed'));
  }

  /** Removes together what was sent while the removal before was under way. */
  function removeSent(): Promise<void> {
    removal ??= (async () => {
      await Promise.resolve();
      const ids = sent;
      sent = [];
      removal = undefined;
      await removeCommands(database.pool, ids, leaseToken);
    })();
    return removal;
  }

  async function failed(command: ClaimedCommand, error: unknown): Promise<void> {
    const refused = isRefusal(error);
    const message = error instanceof Error ? error.message : String(error);
    if (!refused) awayUntil = Date.now() + AWAY_PAUSE_MS;
    const refusals = command.refusals + (refused ? 1 : 0);
    const givenUp = refused && refusals >= MOST_REFUSALS && command.generation !== null;
    const outcome = givenUp ? 'given_up' : refused ? 'refused' : 'away';
    metrics.commandsSent.inc({ command: command.command, outcome });
    logger.warn({ event: `command.${outcome}`, command: command.command, ...idsOf(command), message });
    if (givenUp) {
      await refuseRun(database, config.PUBLIC_URL, command, leaseToken);
      return;
    }
    const delaySeconds = refused ? Math.min(2 ** refusals, LONGEST_BACKOFF_SECONDS) : AWAY_PAUSE_MS / 1_000;
    await postponeCommand(database.pool, command.id, leaseToken, { delaySeconds, refused, message });
  }

  exposeBacklog(deps);
  const listener = listen(config.DATABASE_URL, 'outbox', logger, pump);
  const sweep = setInterval(pump, config.DISPATCHER_SWEEP_SECONDS * 1_000);
  pump();

  return {
    async stop() {
      stopped = true;
      clearInterval(sweep);
      await listener.close();
      await pumping;
      await Promise.all(underWay);
    },
  };
}
