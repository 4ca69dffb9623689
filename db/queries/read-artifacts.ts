/** Artifacts as readers see them: those of a deleted source are hidden with it. */
import type { artifactKinds, Position } from '../../contract/extraction.ts';
import type { artifactStatuses } from '../../contract/statuses.ts';
import { queryOne, type Session, statement } from '../sql.ts';

type ArtifactKind = (typeof artifactKinds)[number];
type ArtifactStatus = (typeof artifactStatuses)[number];

export interface ArtifactRow {
  id: string;
  sourceId: string;
  spaceId: string;
  kind: ArtifactKind;
  title: string;
  content: string;
  language: string | null;
  position: Position;
  metadata: Record<string, unknown>;
  status: ArtifactStatus;
  promotedSourceId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The columns of an ArtifactRow, of a table that is called `a`. */
export const artifactColumns = `a.id, a.source_id as "sourceId", a.space_id as "spaceId", a.kind, a.title, a.content,
  a.language, a.position, a.metadata, a.status, a.promoted_source_id as "promotedSourceId",
  a.created_at as "createdAt", a.updated_at as "updatedAt"`;

/** Joins to an artifact `a` its source `s`, where both can be seen. */
export const artifactsThatShow = `artifacts a join sources s on s.id = a.source_id and s.deleted_at is null
  join spaces sp on sp.id = a.space_id and sp.deleted_at is null`;

const one = statement<ArtifactRow>(
  'read-artifact',
  `select ${artifactColumns} from ${artifactsThatShow} where a.id = $1 and s.owner_id = $2`,
);

/** One artifact of this owner, or null. */
export async function readArtifact(session: Session, ownerId: string, id: string): Promise<ArtifactRow | null> {
  return queryOne(session, one, [id, ownerId]);
}
