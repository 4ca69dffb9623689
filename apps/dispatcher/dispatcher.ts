/** Carries commands from the outbox to Temporal: at once when one is written, and by a sweep for what was missed. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Command } from '../../contract/commands.ts';
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
import { dependencyTrouble, messageOf, reportTrouble } from '../../platform/dependency-trouble.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Storage } from '../../platform/storage.ts';
import { exposeBacklog } from './backlog.ts';
import { sendCommand } from './send-command.ts';
import { WaitingRuns } from './waiting-runs.ts';

const LEASE_SECONDS = 30;
/** Refusals of a command itself before it is given up and its generation ends as `run_refused`. */
const MAX_REFUSALS = 20;
/** So many commands that failed, and none that was sent in between: then Temporal counts as away. */
const FAILING_WHEN_AWAY = 3;
/** Pause while Temporal is away, so that a full outbox does not hammer it. */
const AWAY_PAUSE_MS = 1_000;
/** Interval between two looks at the runs of owners who have as many waiting as they may. */
const LOOK_AT_WAITING_MS = 50;
/** Of a command that fails while others are sent. */
const LONGEST_BACKOFF_SECONDS = 30;

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

/** Whether a command has a run begin a generation. */
function isStart(command: ClaimedCommand): command is ClaimedCommand & { sourceId: string } {
  return command.sourceId !== null && starts.has(command.command);
}
const starts: ReadonlySet<Command> = new Set(['start', 'reprocess', 'refresh']);

/** Before the next try of a command that failed so often. */
function backoffSeconds(failures: number): number {
  return Math.min(2 ** Math.min(failures, 10), LONGEST_BACKOFF_SECONDS);
}

/** Starts dispatching. Any number of dispatchers may run beside each other. */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { config, database, temporal, logger, metrics } = deps;
  const leaseToken = randomUUID();
  const underWay = new Set<Promise<void>>();
  let sent: number[] = [];
  let removal: Promise<boolean> | undefined;
  let pumping: Promise<void> | undefined;
  let again = false;
  /** The last claim was as large as it might be, or there was no slot for one. */
  let mayBeMore = false;
  /** Commands that failed since one was sent; no more of them than count. */
  const failing = new Set<number>();
  const isAway = () => failing.size >= FAILING_WHEN_AWAY;
  let awayUntil = 0;
  const waiting = new WaitingRuns(config.DISPATCHER_OWNER_RUNS);
  let lookAgain: NodeJS.Timeout | undefined;
  let stopped = false;

  /** Looks at the runs of owners who have as many waiting as they may, until one of them may have more. */
  function lookAtWaiting(): void {
    lookAgain = undefined;
    waiting
      .refresh(database)
      .catch(() => false)
      .then((hasRoom) => {
        if (hasRoom) pump();
        else awaitRoom();
      });
  }
  function awaitRoom(): void {
    if (waiting.fullOwners.length > 0 && !stopped) lookAgain ??= setTimeout(lookAtWaiting, LOOK_AT_WAITING_MS);
  }

  /** Claims while there are commands and free slots; a call during that makes it go round once more. */
  function pump(): void {
    again = true;
    if (pumping || stopped) return;
    pumping = (async () => {
      while (again && !stopped) {
        again = false;
        // One command is enough to find out whether Temporal is back.
        const most = isAway() ? 1 : config.DISPATCHER_CONCURRENCY;
        const free = most - underWay.size;
        mayBeMore = free <= 0;
        if (free <= 0 || Date.now() < awayUntil) break;
        const claimed = await claimCommands(database.pool, free, LEASE_SECONDS, leaseToken, waiting.fullOwners);
        for (const command of claimed) dispatch(command);
        mayBeMore = claimed.length === free;
        again ||= mayBeMore;
      }
    })()
      .catch((error: unknown) => logger.warn({ event: 'dispatcher.claim_failed', err: error }))
      .finally(() => {
        pumping = undefined;
      });
  }

  function dispatch(command: ClaimedCommand): void {
    const work = deliver(command).then((hasFollower) => {
      underWay.delete(work);
      awaitRoom();
      if (mayBeMore || hasFollower) pump();
    });
    underWay.add(work);
  }

  /** Returns whether another command of the same subject waited for this one. */
  async function deliver(command: ClaimedCommand): Promise<boolean> {
    const ids = idsOf(command);
    // In both cases the row stays leased and comes back by itself.
    const kept = (event: string) => (err: unknown) => {
      logger.warn({ event, ...ids, err });
      return false;
    };
    try {
      await sendCommand(temporal, config.TEMPORAL_TASK_QUEUE, command);
    } catch (error) {
      await failed(command, error).catch(kept('command.postpone_failed'));
      return false;
    }
    failing.clear();
    if (isStart(command)) waiting.add(command.ownerId, command.sourceId);
    metrics.commandsSent.inc({ command: command.command, outcome: 'sent' });
    logger.debug({ event: 'command.sent', command: command.command, ...ids });
    sent.push(command.id);
    return removeSent().catch(kept('command.remove_failed'));
  }

  /** Removes together what was sent while the removal before was under way. */
  function removeSent(): Promise<boolean> {
    removal ??= (async () => {
      await Promise.resolve();
      const ids = sent;
      sent = [];
      removal = undefined;
      return removeCommands(database.pool, ids, leaseToken);
    })();
    return removal;
  }

  /** Puts a command off that could not be sent, and gives up one that Temporal keeps refusing for what it is. */
  async function failed(command: ClaimedCommand, error: unknown): Promise<void> {
    const trouble = dependencyTrouble(error);
    if (trouble !== null) reportTrouble(deps, trouble, error);
    const refused = trouble === null;
    const refusals = command.refusals + (refused ? 1 : 0);
    const givenUp = refused && refusals >= MAX_REFUSALS && command.generation !== null;
    const outcome = givenUp ? 'given_up' : refused ? 'refused' : 'away';
    const message = messageOf(error);
    metrics.commandsSent.inc({ command: command.command, outcome });
    logger.warn({ event: `command.${outcome}`, command: command.command, ...idsOf(command), message });
    if (givenUp) {
      await refuseRun(database, config.PUBLIC_URL, command, leaseToken);
      return;
    }
    const delaySeconds = refused ? backoffSeconds(refusals) : troubleSeconds(command);
    await postponeCommand(database.pool, command.id, leaseToken, { delaySeconds, refused, message });
  }

  /**
   * Only when nothing at all can be sent does everything pause: one command that Temporal cannot take, such as that of a
   * run whose shard is stuck, backs off alone, however often it fails.
   */
  function troubleSeconds({ id, attempts }: ClaimedCommand): number {
    if (!isAway()) failing.add(id);
    if (!isAway()) return backoffSeconds(attempts);
    awayUntil = Date.now() + AWAY_PAUSE_MS;
    return AWAY_PAUSE_MS / 1_000;
  }

  exposeBacklog(deps);
  const listener = listen(config.DATABASE_URL, 'outbox', logger, pump);
  const sweep = setInterval(() => {
    // Of owners who start little, too, what was begun has to be forgotten some time.
    waiting.refresh(database).catch(() => false);
    pump();
  }, config.DISPATCHER_SWEEP_SECONDS * 1_000);
  pump();

  return {
    async stop() {
      stopped = true;
      clearInterval(sweep);
      clearTimeout(lookAgain);
      await listener.close();
      await pumping;
      await Promise.all(underWay);
    },
  };
}
