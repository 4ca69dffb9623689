import type { Session } from '../../../../db/sql.ts';
import { findCycle, findUnknownMember } from '../../../../db/transitions/sources/composition-members.ts';
import { invalid } from '../../errors.ts';

/**
 * Checks that the members of a composition are live sources of its space, and that none of them contains it. The caller
 * must have locked the space; `compositionId` is left out for a new composition, which no source can contain.
 * @throws AppError 400
 */
export async function requireMembers(
  session: Session,
  spaceId: string,
  memberIds: string[],
  compositionId?: string,
): Promise<void> {
  const unknown = await findUnknownMember(session, spaceId, memberIds);
  if (unknown !== null) throw invalid('initial_data.data', `There is no source ${unknown} in this space.`);
  const cycle = compositionId === undefined ? null : await findCycle(session, compositionId, memberIds);
  if (cycle !== null) throw invalid('initial_data.data', `The member ${cycle} is this composition or contains it.`);
}
