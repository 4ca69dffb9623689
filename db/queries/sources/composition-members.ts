/** The members of a composition, for its run. */
import type { GenerationRef } from '../../../contract/commands.ts';
import { jsonb, query, type Session, statement } from '../../sql.ts';

export interface MemberState {
  position: number;
  /** Null after the member was purged, like its name. */
  id: string | null;
  name: string | null;
  /** Also true for a purged member. */
  deleted: boolean;
  /** The newest ended generation and its outcome; SUPERSEDED ones do not count. */
  endedGeneration: number | null;
  endedOutcome: 'COMPLETED' | 'FAILED' | 'CANCELED' | null;
  awaitedGeneration: number;
  resultGeneration: number | null;
  markdownKey: string | null;
  /** Length of the result's Markdown in Unicode code points. */
  characters: number;
}

const members = statement<MemberState>(
  'read-members',
  `select m.position, s.id, s.name, s.id is null or s.deleted_at is not null as deleted, ended.generation as "endedGeneration",
          ended.outcome as "endedOutcome", coalesce(m.awaited_generation, 0) as "awaitedGeneration",
          result.generation as "resultGeneration", result.markdown_key as "markdownKey",
          coalesce((result.context -> 'statistics' ->> 'characters')::bigint, 0) as characters
   from composition_members m left join sources s on s.id = m.member_id
   left join source_generations result on result.id = s.result_generation_id
   left join lateral (
     select g.generation, g.outcome from source_generations g
     where g.source_id = s.id and g.outcome <> 'SUPERSEDED' order by g.generation desc limit 1) ended on true
   where m.composition_id = $1 order by m.position`,
);

/** The members of a composition in their order, from one snapshot. */
export async function readMembers(session: Session, compositionId: string): Promise<MemberState[]> {
  return query(session, members, [compositionId]);
}

const joined = statement<{ position: number }>(
  'record-joined-members',
  `update composition_members m set joined_generation = j.generation
   from sources s, jsonb_to_recordset($3::jsonb) as j(id uuid, generation int)
   where m.composition_id = $1 and m.member_id = j.id
     and s.id = $1 and s.generation = $2 and s.status = 'PROCESSING'
   returning m.position`,
);

/** Records the joined generation of each member; it becomes visible when the composition completes. */
export async function recordJoinedMembers(
  session: Session,
  { sourceId, generation }: GenerationRef,
  used: { id: string; generation: number }[],
): Promise<void> {
  await query(session, joined, [sourceId, generation, jsonb(used)]);
}
