import { defineEntity, p } from '@mikro-orm/postgresql';

/** A source that a composition joins. Both lie in the same space: composite foreign keys of the migration. */
export const CompositionMember = defineEntity({
  name: 'CompositionMember',
  tableName: 'composition_members',
  properties: {
    compositionId: p.uuid().primary(),
    position: p.smallint().primary().check('position between 0 and 99'),
    spaceId: p.uuid(),
    /** Null once the member was purged: the composition then lacks it for good. */
    memberId: p.uuid().nullable().check('member_id <> composition_id').index(),
    /** The member's generation that the present run waits for: the newest when the run began. */
    awaitedGeneration: p.integer().nullable(),
    /** The member's generation that the present run has joined. */
    joinedGeneration: p.integer().nullable(),
    /** The member's generation that the shown result was joined from; `stale` compares with it. */
    usedGeneration: p.integer().nullable(),
  },
  uniques: [{ name: 'composition_members_member_unique', properties: ['compositionId', 'memberId'] }],
});
