/** Sends commands from the outbox to Temporal: on each notification, and every DISPATCHER_SWEEP_SECONDS. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '../../../contract/commands.ts';
import { listen } from '../../../db/listen.ts';
import { refuseRun } from '../../../db/transitions/generations/refuse-run.ts';
import {
  type ClaimedCommand,
  claimCommands,
  hasDueStarts,
  postponeCommand,
  removeCommands,
} from '../../../db/transitions/outbox/claim-commands.ts';
import { dependencyTrouble, messageOf, reportTrouble } from '../../../platform/dependency-trouble.ts';
import { checkTemporal } from '../../../platform/temporal.ts';
import type { DispatcherDependencies } from '../dependencies.ts';
import { BackOff } from './back-off.ts';
import { exposeBacklog } from './backlog.ts';
import { sendCommand } from './send-command.ts';
import { WaitingRuns } from './waiting-runs.ts';

const LEASE_SECONDS = 30;
/** Rejections of one command by Temporal itself after which its generation ends as `run_refused`. */
const MAX_REFUSALS = 20;
/** Interval between checks of owners that have reached DISPATCHER_OWNER_RUNS waiting runs. */
const WAITING_RUNS_POLL_MS = 100;
/** Shortest time between the starts of two claims, unless the first one was full. */
const CLAIM_INTERVAL_MS = 20;
/** Interval between claims while due commands wait for the open runs of their owners to end. */
const HELD_STARTS_POLL_MS = 200;

export interface Dispatcher {
  /** Claims no more commands and waits for those in flight. */
  stop(): Promise<void>;
}

/** Ids of a command for log lines. */
function idsOf({ id, sourceId, spaceId, generation, artifactId, ticketId }: ClaimedCommand) {
  return { outboxId: id, sourceId, spaceId, generation, artifactId, ticketId };
}

/** Whether a command starts a generation. */
function isStart(command: ClaimedCommand): command is ClaimedCommand & { sourceId: string } {
  return command.sourceId !== null && startCommands.has(command.command);
}
const startCommands: ReadonlySet<Command> = new Set(['start', 'reprocess', 'refresh']);

/** Starts dispatching. Any number of dispatchers may run concurrently. */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { config, database, temporal, logger, metrics } = deps;
  const leaseToken = randomUUID();
  const inFlight = new Set<Promise<void>>();
  /** Ids of commands that were sent and are not yet removed. */
  let sentIds: number[] = [];
  let removal: Promise<boolean> | undefined;
  let pumping: Promise<void> | undefined;
  let claimAgain = false;
  /** Start of the last claim, a time of `performance.now()`. */
  let claimedAt = Number.NEGATIVE_INFINITY;
  /** The last claim was full, or no slot was free for one. */
  let mayHaveMore = false;
  const backOff = new BackOff();
  const waiting = new WaitingRuns(config.DISPATCHER_OWNER_RUNS);
  const maxOpenRuns = { free: config.QUOTA_OPEN_RUNS_FREE, pro: config.QUOTA_OPEN_RUNS_PRO };
  /** Set while due commands wait for the open runs of their owners to end. */
  let heldStartsTimer: NodeJS.Timeout | undefined;
  let waitingRunsTimer: NodeJS.Timeout | undefined;
  let stopped = false;

  /** Polls the waiting runs of owners at their limit until one of them may have more. */
  function pollWaitingRuns(): void {
    waitingRunsTimer = undefined;
    waiting
      .refresh(database)
      .catch(() => false)
      .then((hasRoom) => {
        if (hasRoom) pump();
        else scheduleWaitingRunsPoll();
      });
  }
  function scheduleWaitingRunsPoll(): void {
    if (waiting.fullOwners.length === 0 || stopped) return;
    waitingRunsTimer ??= setTimeout(pollWaitingRuns, WAITING_RUNS_POLL_MS);
  }

  /** Due commands may wait for the open runs of their owners to end. No notification reports that, so it is polled. */
  function scheduleHeldStartsCheck(): void {
    if (stopped) return;
    heldStartsTimer ??= setTimeout(() => {
      heldStartsTimer = undefined;
      hasDueStarts(database.pool)
        .then((exist) => exist && pump())
        .catch((error: unknown) => logger.warn({ event: 'dispatcher.claim_failed', err: error }));
    }, HELD_STARTS_POLL_MS);
  }

  /** Claims while there are commands and free slots. A call while it runs adds one more claim. */
  function pump(): void {
    claimAgain = true;
    if (pumping || stopped) return;
    pumping = (async () => {
      while (claimAgain && !stopped) {
        claimAgain = false;
        // One command is enough to find out whether Temporal accepts any.
        const maxInFlight = backOff.isAway ? 1 : config.DISPATCHER_CONCURRENCY;
        const free = maxInFlight - inFlight.size;
        const wasFull = mayHaveMore;
        mayHaveMore = free <= 0;
        if (free <= 0 || backOff.isPaused || !(await mayClaim())) break;
        const pause = claimedAt + CLAIM_INTERVAL_MS - performance.now();
        if (!wasFull && pause > 0) await sleep(pause);
        claimedAt = performance.now();
        const claimed = await claimCommands(database.pool, free, LEASE_SECONDS, leaseToken, {
          fullOwners: waiting.fullOwners,
          maxOpenRuns,
        });
        for (const command of claimed) dispatch(command);
        mayHaveMore = claimed.length === free;
        if (!mayHaveMore) scheduleHeldStartsCheck();
        claimAgain ||= mayHaveMore;
      }
    })()
      .catch((error: unknown) => logger.warn({ event: 'dispatcher.claim_failed', err: error }))
      .finally(() => {
        pumping = undefined;
      });
  }

  /** Whether this dispatcher reaches Temporal. While it does not, it leaves the commands to other dispatchers. */
  async function mayClaim(): Promise<boolean> {
    if (!backOff.needsCheck) return true;
    try {
      await checkTemporal(temporal);
      backOff.checked(true);
    } catch (error) {
      const trouble = dependencyTrouble(error);
      if (trouble !== null) reportTrouble(deps, trouble, error);
      backOff.checked(false);
    }
    return !backOff.isPaused;
  }

  function dispatch(command: ClaimedCommand): void {
    const work = sendAndRemove(command)
      .catch((error: unknown) => {
        // The row can be claimed again when its lease expires.
        logger.warn({ event: 'command.unsettled', ...idsOf(command), err: error });
        return false;
      })
      .then((hasFollower) => {
        inFlight.delete(work);
        scheduleWaitingRunsPoll();
        if (mayHaveMore || hasFollower) pump();
      });
    inFlight.add(work);
  }

  /** Returns whether another command of the same subject waited for this one. */
  async function sendAndRemove(command: ClaimedCommand): Promise<boolean> {
    try {
      await sendCommand(temporal, config, command);
    } catch (error) {
      await handleFailure(command, error);
      return false;
    }
    backOff.sent();
    metrics.commandsSent.inc({ command: command.command, outcome: 'sent' });
    logger.debug({ event: 'command.sent', command: command.command, ...idsOf(command) });
    sentIds.push(command.id);
    const hasFollower = await removeSent();
    if (isStart(command)) waiting.add(command.ownerId, command.sourceId);
    return hasFollower;
  }

  /** Removes the sent commands in one statement, those of concurrent calls included. */
  function removeSent(): Promise<boolean> {
    removal ??= (async () => {
      await Promise.resolve();
      const ids = sentIds;
      sentIds = [];
      removal = undefined;
      return removeCommands(database.pool, ids, leaseToken);
    })();
    return removal;
  }

  /** Postpones a command that could not be sent; gives up one that Temporal itself rejected MAX_REFUSALS times. */
  async function handleFailure(command: ClaimedCommand, error: unknown): Promise<void> {
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
    const delaySeconds = refused
      ? backOff.delayAfterRefusals(refusals)
      : backOff.delayAfterTrouble(command.id, command.attempts);
    await postponeCommand(database.pool, command.id, leaseToken, { delaySeconds, refused, message });
  }

  exposeBacklog(deps);
  // Commands that this process has written are claimed without waiting for PostgreSQL's notification.
  database.notifications.onRaised('outbox', pump);
  const listener = listen(config.DATABASE_URL, 'outbox', logger, (payload) => {
    if (payload !== database.notifications.origin) pump();
  });
  const sweep = setInterval(() => {
    // Also forgets the runs of owners below their limit, which nothing else refreshes.
    waiting.refresh(database).catch(() => false);
    pump();
  }, config.DISPATCHER_SWEEP_SECONDS * 1_000);
  pump();

  return {
    async stop() {
      stopped = true;
      clearInterval(sweep);
      clearTimeout(waitingRunsTimer);
      clearTimeout(heldStartsTimer);
      await listener.close();
      await pumping;
      await Promise.all(inFlight);
    },
  };
}
