import type { Artifact } from '../../entities/artifact.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import { visibleArtifacts } from '../../queries/artifacts/read-artifacts.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { createSource } from '../sources/create-source.ts';

type ArtifactToPromote = ColumnsOf<typeof Artifact, 'spaceId' | 'title' | 'content' | 'promotedSourceId'> &
  ColumnsOf<typeof Source, 'collectionId'>;

const lockArtifact = statement<ArtifactToPromote>(
  'lock-artifact',
  `select a.space_id as "spaceId", a.title, a.content, a.promoted_source_id as "promotedSourceId",
          s.collection_id as "collectionId"
   from ${visibleArtifacts}
   where a.id = $1 and s.owner_id = $2
   for no key update of a`,
);

const markPromoted = statement(
  'mark-artifact-promoted',
  'update artifacts set promoted_source_id = $2, updated_at = now() where id = $1',
);

/**
 * Creates a CONTENT source with the id `newSourceId` from an artifact, or returns the one created before, which may be
 * deleted by now. Null when the artifact does not exist or is not of this owner. Runs inside the caller's transaction
 * and locks the artifact until its end.
 * @throws the database's foreign key violation `sources_collection_foreign` when the collection was deleted meanwhile.
 */
export async function promoteArtifact(
  session: Session,
  ownerId: string,
  artifactId: string,
  newSourceId: string,
): Promise<{ sourceId: string; created: boolean } | null> {
  const artifact = await queryOne(session, lockArtifact, [artifactId, ownerId]);
  if (artifact === null) return null;
  if (artifact.promotedSourceId !== null) {
    return { sourceId: artifact.promotedSourceId, created: false };
  }
  const name = [...artifact.title.trim()].slice(0, 200).join('').trim();
  const created = await createSource(session, {
    id: newSourceId,
    ownerId,
    spaceId: artifact.spaceId,
    collectionId: artifact.collectionId,
    type: 'CONTENT',
    name: name === '' ? 'Promoted artifact' : name,
    nameDerived: false,
    initialData: { data: artifact.content },
    instructions: {},
    metadata: {},
    externalId: null,
    uploadId: null,
    claim: null,
  });
  if (!created) return null;
  await query(session, markPromoted, [artifactId, newSourceId]);
  return { sourceId: newSourceId, created: true };
}
