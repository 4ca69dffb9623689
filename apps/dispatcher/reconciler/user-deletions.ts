/** Users whose deletion was decided: their spaces are purged, then all else that is theirs goes, and the row last. */
import { setTimeout as delay } from 'node:timers/promises';
import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import { transaction } from '../../../db/sql.ts';
import {
  findDeletingUsers,
  listUploadsOfUser,
  readLeftOfUser,
  removeUploadsOfUser,
  removeUser,
  startPurgesOfUser,
} from '../../../db/transitions/users/delete-user.ts';
import { countExecutions, deleteFoundExecutions, executionsWith } from '../../../platform/delete-executions.ts';
import { unlessPaused } from '../sweeper/gc-pause.ts';
import { once, type Round, reconcileEach } from './reconcile-each.ts';

const BATCH = 100;
/** Between two looks whether Temporal has removed what it was asked to. */
const LOOK_MS = 200;

/** Takes each deletion as far as it gets in this round; nothing while purges are held. */
export function reconcileUserDeletions(round: Round): Promise<void> {
  return unlessPaused(round, () =>
    reconcileEach(
      round,
      once((limit) => findDeletingUsers(round.database.pool, limit)),
      ({ userId }) => goOn(round, userId),
    ),
  );
}

async function goOn(round: Round, userId: string): Promise<void> {
  const { database, logger, metrics } = round;
  const purges = await withBucketOwnership(round, (session) => startPurgesOfUser(session, userId));
  for (const id of purges) logger.info({ event: 'purge.started', of: 'space', id });
  // A purge removes its space; one whose run is lost is begun again as such.
  const left = await readLeftOfUser(database.pool, userId);
  if (left === null || left.spaces > 0) return;
  if (!(await removeUploads(round, userId)) || !(await removeExecutions(round, userId))) return;
  if (!(await transaction(database, (session) => removeUser(session, userId)))) return;
  metrics.purged.inc({ of: 'user' });
  logger.info({ event: 'user.deleted', userId });
}

/** False: there are more than this round has time for. */
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

/** False: Temporal still shows some of those that it was asked to delete. */
async function removeExecutions(round: Round, userId: string): Promise<boolean> {
  const query = executionsWith('OwnerId', [userId]);
  await deleteFoundExecutions(round.temporal, query);
  while ((await countExecutions(round.temporal, query)) > 0) {
    if (Date.now() > round.endsAt) return false;
    await delay(LOOK_MS);
  }
  return true;
}
