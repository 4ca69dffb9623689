/** Carries commands from the outbox to Temporal: at once when one is written, and by a sweep for what was missed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '../../../contract/commands.ts';
import { listen } from '../../../db/listen.ts';
import { refuseRun } from '../../../db/transitions/generations/refuse-run.ts';
import {
  type ClaimedCommand,
  claimCommands,
  holdsStarts,
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
/** Refusals of a command itself before it is given up and its generation ends as `run_refused`. */
const MAX_REFUSALS = 20;
/** Interval between two looks at the runs of owners who have as many waiting as they may. */
const LOOK_AT_WAITING_MS = 100;
/** Between the beginnings of two claims, while nothing more was found than fitted into the first. */
const CLAIM_PAUSE_MS = 20;
/** Interval between two looks whether owners may have runs opened again. */
const LOOK_AT_HELD_MS = 200;

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

/** Starts dispatching. Any number of dispatchers may run beside each other. */
export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { config, database, temporal, logger, metrics } = deps;
  const leaseToken = randomUUID();
  const underWay = new Set<Promise<void>>();
  let sent: number[] = [];
  let removal: Promise<boolean> | undefined;
  let pumping: Promise<void> | undefined;
  let again = false;
  /** When the last claim began, by `performance.now()`. */
  let claimedAt = Number.NEGATIVE_INFINITY;
  /** The last claim was as large as it might be, or there was no slot for one. */
  let mayBeMore = false;
  const backOff = new BackOff();
  const waiting = new WaitingRuns(config.DISPATCHER_OWNER_RUNS);
  const mostOpenRuns = { free: config.QUOTA_OPEN_RUNS_FREE, pro: config.QUOTA_OPEN_RUNS_PRO };
  /** Set while commands are held back by the open runs of their owners. */
  let heldBack: NodeJS.Timeout | undefined;
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

  /** Commands are due that may not be claimed: of owners whose runs have to end first, which nobody tells of. */
  function lookAgainSoon(): void {
    if (stopped) return;
    heldBack ??= setTimeout(() => {
      heldBack = undefined;
      pump();
    }, LOOK_AT_HELD_MS);
  }

  /** Claims while there are commands and free slots; a call during that makes it go round once more. */
  function pump(): void {
    again = true;
    if (pumping || stopped) return;
    pumping = (async () => {
      while (again && !stopped) {
        again = false;
        // One command is enough to find out whether Temporal takes any.
        const most = backOff.isAway ? 1 : config.DISPATCHER_CONCURRENCY;
        const free = most - underWay.size;
        const wasFull = mayBeMore;
        mayBeMore = free <= 0;
        if (free <= 0 || backOff.isPaused || !(await mayClaim())) break;
        const pause = claimedAt + CLAIM_PAUSE_MS - performance.now();
        if (!wasFull && pause > 0) await sleep(pause);
        claimedAt = performance.now();
        const claimed = await claimCommands(database.pool, free, LEASE_SECONDS, leaseToken, {
          fullOwners: waiting.fullOwners,
          mostOpenRuns,
        });
        for (const command of claimed) dispatch(command);
        mayBeMore = claimed.length === free;
        if (!mayBeMore && (await holdsStarts(database.pool))) lookAgainSoon();
        again ||= mayBeMore;
      }
    })()
      .catch((error: unknown) => logger.warn({ event: 'dispatcher.claim_failed', err: error }))
      .finally(() => {
        pumping = undefined;
      });
  }

  /** While Temporal does not answer this dispatcher, it leaves the commands to others that may reach it. */
  async function mayClaim(): Promise<boolean> {
    if (!backOff.isDoubtful) return true;
    try {
      await checkTemporal(temporal);
      backOff.asked(true);
    } catch (error) {
      const trouble = dependencyTrouble(error);
      if (trouble !== null) reportTrouble(deps, trouble, error);
      backOff.asked(false);
    }
    return !backOff.isPaused;
  }

  function dispatch(command: ClaimedCommand): void {
    const work = deliver(command)
      .catch((error: unknown) => {
        // The row stays leased and comes back by itself.
        logger.warn({ event: 'command.unsettled', ...idsOf(command), err: error });
        return false;
      })
      .then((hasFollower) => {
        underWay.delete(work);
        awaitRoom();
        if (mayBeMore || hasFollower) pump();
      });
    underWay.add(work);
  }

  /** Returns whether another command of the same subject waited for this one. */
  async function deliver(command: ClaimedCommand): Promise<boolean> {
    try {
      await sendCommand(temporal, config, command);
    } catch (error) {
      await failed(command, error);
      return false;
    }
    backOff.sent();
    metrics.commandsSent.inc({ command: command.command, outcome: 'sent' });
    logger.debug({ event: 'command.sent', command: command.command, ...idsOf(command) });
    sent.push(command.id);
    const hasFollower = await removeSent();
    if (isStart(command)) waiting.add(command.ownerId, command.sourceId);
    return hasFollower;
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
    const delaySeconds = refused ? backOff.afterRefusals(refusals) : backOff.afterTrouble(command.id, command.attempts);
    await postponeCommand(database.pool, command.id, leaseToken, { delaySeconds, refused, message });
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
      clearTimeout(heldBack);
      await listener.close();
      await pumping;
      await Promise.all(underWay);
    },
  };
}
