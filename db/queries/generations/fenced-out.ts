import { query, type Session, statement } from '../../sql.ts';

/**
 * The fence of an activity's writes: the generation of a source, the round of an artifact, or the round of a postback.
 * `id` is the id of the source, artifact or postback.
 */
export interface Fence {
  kind: 'generation' | 'artifact' | 'postback';
  id: string;
  /** The number of the generation or round. */
  number: number;
}

const fencedOut = statement<{ position: number }>(
  'fenced-out',
  `select f.position from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality as f (kind, id, number, position)
   where not case f.kind
     when 'generation' then exists (
       select from sources s where s.id = f.id and s.generation = f.number and s.deleted_at is null
         and s.status in ('CREATED', 'PENDING', 'PROCESSING'))
     when 'artifact' then exists (
       select from artifacts a where a.id = f.id and a.round = f.number and a.status = 'PROCESSING')
     else exists (select from postbacks p where p.id = f.id and p.round = f.number and p.state = 'pending')
   end`,
);

/** Returns the `fences` whose generation or round has ended or was superseded: their writes change nothing. */
export async function findFencedOut<F extends Fence>(session: Session, fences: readonly F[]): Promise<F[]> {
  const rows = await query(session, fencedOut, [
    fences.map(({ kind }) => kind),
    fences.map(({ id }) => id),
    fences.map(({ number }) => number),
  ]);
  return rows.flatMap(({ position }) => fences[position - 1] ?? []);
}
