/** Writes of spaces by their owner. */
import { randomUUID } from 'node:crypto';
import { type InferEntity, raw } from '@mikro-orm/postgresql';
import { OutboxCommand } from '../../entities/outbox-command.ts';
import { Space } from '../../entities/space.ts';
import { entityManager, type Transaction } from '../../sql.ts';

export type SpaceRow = InferEntity<typeof Space>;

/** Inserts a space. */
export async function createSpace(
  session: Transaction,
  space: Pick<SpaceRow, 'id' | 'ownerId' | 'name' | 'description'>,
): Promise<SpaceRow> {
  const em = entityManager(session);
  const created = em.create(Space, space);
  await em.flush();
  return created;
}

/** Replaces name and description. Returns null when the owner has no such live space. */
export async function updateSpace(
  session: Transaction,
  ownerId: string,
  id: string,
  { name, description }: { name: string; description: string },
): Promise<SpaceRow | null> {
  const em = entityManager(session);
  const where = { id, ownerId, deletedAt: null };
  await em.nativeUpdate(Space, where, { name, description, updatedAt: raw('now()') });
  return em.findOne(Space, where);
}

/**
 * Deletes a space; it can be restored until its purge. `deletedAt` alone hides the space and its contents; the
 * command's run cancels the open generations. Returns false when the owner has no such live space.
 */
export async function deleteSpace(session: Transaction, ownerId: string, id: string): Promise<boolean> {
  const em = entityManager(session);
  const deletionId = randomUUID();
  const mark = { deletedAt: raw<Date>('now()'), deletionId };
  if ((await em.nativeUpdate(Space, { id, ownerId, deletedAt: null }, mark)) === 0) return false;
  await em.insert(OutboxCommand, { ownerId, command: 'cancel_sources', spaceId: id, deletionId });
  return true;
}

/**
 * Restores a deleted space; a live one is returned unchanged. Clearing the deletion's id stops its run. Returns null
 * when the owner has no such space, or its purge has begun.
 */
export async function restoreSpace(session: Transaction, ownerId: string, id: string): Promise<SpaceRow | null> {
  const em = entityManager(session);
  const deleted = { id, ownerId, deletedAt: { $ne: null }, purgingAt: null };
  await em.nativeUpdate(Space, deleted, { deletedAt: null, deletionId: null });
  return em.findOne(Space, { id, ownerId, deletedAt: null });
}
