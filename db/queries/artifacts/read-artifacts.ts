/** Artifacts as the API returns them; those of deleted sources are hidden. */
import type { Artifact } from '../../entities/artifact.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

/** An artifact. In lists, content is cut and large metadata omitted. */
export type ArtifactRow = ColumnsOf<
  typeof Artifact,
  | 'id'
  | 'sourceId'
  | 'spaceId'
  | 'kind'
  | 'title'
  | 'content'
  | 'truncated'
  | 'language'
  | 'position'
  | 'metadata'
  | 'status'
  | 'promotedSourceId'
  | 'createdAt'
  | 'updatedAt'
>;

/** The columns of an ArtifactRow, from `artifacts a`. */
const columns = (content: string) => `a.id, a.source_id as "sourceId", a.space_id as "spaceId", a.kind, a.title,
  ${content}, a.language, a.position, a.status, a.promoted_source_id as "promotedSourceId",
  a.created_at as "createdAt", a.updated_at as "updatedAt"`;
export const artifactColumns = columns('a.content, a.metadata, false as truncated');
export const listedArtifactColumns = columns('a.listed_content as content, a.listed_metadata as metadata, a.truncated');

/** Joins artifacts `a` with their sources `s` and spaces `sp`, without deleted ones. */
export const visibleArtifacts = `artifacts a join sources s on s.id = a.source_id and s.deleted_at is null
  join spaces sp on sp.id = a.space_id and sp.deleted_at is null`;

const one = statement<ArtifactRow>(
  'read-artifact',
  `select ${artifactColumns} from ${visibleArtifacts} where a.id = $1 and s.owner_id = $2`,
);

/** One artifact of this owner, or null. */
export async function readArtifact(session: Session, ownerId: string, id: string): Promise<ArtifactRow | null> {
  return queryOne(session, one, [id, ownerId]);
}
