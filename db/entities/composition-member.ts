import { defineEntity, p } from '@mikro-orm/postgresql';

/** A source that a composition joins. Both are in the same space: see the composite foreign keys in the migrations. */
export const CompositionMember = defineEntity({
  name: 'CompositionMember',
  tableName: 'composition_members',
  properties: {
    compositionId: p.uuid().primary(),
    position: p.smallint().primary().check('position between 0 and 99'),
    spaceId: p.uuid(),
    /** Null after the member was purged: the composition then lacks it permanently. */
    memberId: p.uuid().nullable().check('member_id <> composition_id').index(),
    /** The member's generation that the composition's current generation waits for: the newest when it began. */
    awaitedGeneration: p.integer().nullable(),
    /** The member's generation that the composition's current generation has joined. */
    joinedGeneration: p.integer().nullable(),
    /** The member's generation in the composition's result; `stale` compares with it. */
    usedGeneration: p.integer().nullable(),
  },
  uniques: [{ name: 'composition_members_member_unique', properties: ['compositionId', 'memberId'] }],
});
