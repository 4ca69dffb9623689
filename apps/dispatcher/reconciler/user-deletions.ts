/** Progress of the deletion of users: purges of their spaces, then uploads, executions, and the user's row last. */
import { setTimeout as delay } from 'node:timers/promises';
import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import { transaction } from '../../../db/sql.ts';
import {
  countRemainingUserData,
  findDeletingUsers,
  listUploadsOfUser,
  removeUploadsOfUser,
  removeUser,
  startPurgesOfUser,
} from '../../../db/transitions/users/delete-user.ts';
import { countExecutions, deleteFoundExecutions, executionsWith } from '../../../platform/delete-executions.ts';
import { unlessPaused } from '../sweeper/gc-pause.ts';
import { once, type Round, reconcileEach } from './reconcile-each.ts';

const BATCH = 100;
/** Interval between checks whether Temporal has removed the executions. */
const POLL_MS = 200;

/** Continues each deletion as far as possible in this round; does nothing while garbage collection is paused. */
export function reconcileUserDeletions(round: Round): Promise<void> {
  return unlessPaused(round, () =>
    reconcileEach(
      round,
      once((limit) => findDeletingUsers(round.database.pool, limit)),
      ({ userId }) => continueDeletion(round, userId),
    ),
  );
}

async function continueDeletion(round: Round, userId: string): Promise<void> {
  const { database, logger, metrics } = round;
  const purges = await withBucketOwnership(round, (session) => startPurgesOfUser(session, userId));
  for (const id of purges) logger.info({ event: 'purge.started', of: 'space', id });
  // A purge removes its space; reconcilePurges repairs one whose run is lost.
  const left = await countRemainingUserData(database.pool, userId);
  if (left === null || left.spaces > 0) return;
  if (!(await removeUploads(round, userId)) || !(await removeExecutions(round, userId))) return;
  if (!(await transaction(database, (session) => removeUser(session, userId)))) return;
  metrics.purged.inc({ of: 'user' });
  logger.info({ event: 'user.deleted', userId });
}

/** Returns false when the round has no time for the remaining uploads. */
async function removeUploads(round: Round, userId: string): Promise<boolean> {
  const { storage } = round;
  for (;;) {
    const uploads = await withBucketOwnership(round, (session) => listUploadsOfUser(session, userId, BATCH));
    if (uploads.length === 0) return true;
    for (const { folder } of uploads) await storage.deletePrefix(folder);
    const ids = uploads.map(({ id }) => id);
    await withBucketOwnership(round, (session) => removeUploadsOfUser(session, userId, ids));
    if (Date.now() > round.endsAt) return false;
  }
}

/** Returns false while Temporal still lists executions that it was asked to delete. */
async function removeExecutions(round: Round, userId: string): Promise<boolean> {
  const query = executionsWith('OwnerId', [userId]);
  await deleteFoundExecutions(round.temporal, query);
  while ((await countExecutions(round.temporal, query)) > 0) {
    if (Date.now() > round.endsAt) return false;
    await delay(POLL_MS);
  }
  return true;
}
