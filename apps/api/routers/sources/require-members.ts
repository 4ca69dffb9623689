import type { Session } from '../../../../db/sql.ts';
import { findCycle, findUnknownMember } from '../../../../db/transitions/sources/composition-members.ts';
import { invalid } from '../../errors.ts';

/**
 * The members of a composition are live sources of its space, and none of them holds it. The caller has locked the
 * space; `compositionId` is left out where the composition is new, so that nothing can hold it.
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
  if (cycle !== null) throw invalid('initial_data.data', `The source ${cycle} holds this composition itself.`);
}
