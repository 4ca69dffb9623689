/** Stores a source together with its first generation and the command that starts its run. */
import type { SourceType } from '../../../contract/statuses.ts';
import { listedColumns, type SourceRow } from '../../queries/sources/read-sources.ts';
import { jsonb, queryOne, type Session, statement } from '../../sql.ts';
import type { UploadClaim } from '../uploads/claim-upload.ts';

export interface NewSource {
  id: string;
  ownerId: string;
  spaceId: string;
  collectionId: string | null;
  type: SourceType;
  name: string;
  nameDerived: boolean;
  initialData: Record<string, unknown>;
  instructions: Record<string, unknown>;
  metadata: Record<string, string | number | boolean>;
  externalId: string | null;
  /** FILE: the claimed upload, with its ETag and size. */
  uploadId: string | null;
  claim: UploadClaim | null;
}

// One statement, since this is the most frequent write: it saves four round trips of a transaction with three inserts
// and a read.
const insertSource = statement<SourceRow>(
  'create-source',
  `with source as (
     insert into sources (id, owner_id, space_id, collection_id, type, name, name_derived, status, generation,
                          initial_data, instructions, metadata, external_id, upload_id, content_size)
     select $1, owner_id, id, $4, $5, $6, $7, 'CREATED', 1, $8, $9, $10, $11, $12,
            -- The copy of an upload counts before the run makes it.
            coalesce($14::bigint, 0)
     from spaces where id = $2 and owner_id = $3 and deleted_at is null
     returning *
   ), generation as (
     insert into source_generations (id, source_id, generation, trigger, fetches,
                                     run_context_extraction, run_artifact_extraction, skips_failed_members, claim_etag,
                                     content_size)
     select uuidv7(), id, 1, 'create', type <> 'CONTENT', true, true,
            coalesce(instructions ->> 'on_member_failure' = 'skip', false), $13,
            case when type = 'CONTENT' then octet_length($8::jsonb ->> 'data') else $14::bigint end
     from source
     returning *
   ), command as (
     insert into outbox (owner_id, source_id, command, generation) select owner_id, id, 'start', 1 from source
   )
   select ${listedColumns} from source s cross join generation g
   left join source_generations r on false left join postbacks p on false`,
);

/**
 * Inserts the source as CREATED and returns it as in lists, or null when the space is not a live one of this owner.
 * @throws the database's unique violation `sources_external_id_unique` and foreign key violation
 *   `sources_collection_foreign`.
 */
export async function createSource(session: Session, source: NewSource): Promise<SourceRow | null> {
  return queryOne(session, insertSource, [
    source.id,
    source.spaceId,
    source.ownerId,
    source.collectionId,
    source.type,
    source.name,
    source.nameDerived,
    jsonb(source.initialData),
    jsonb(source.instructions),
    jsonb(source.metadata),
    source.externalId,
    source.uploadId,
    source.claim?.etag ?? null,
    source.claim?.sizeBytes ?? null,
  ]);
}
