/** Changes of a source by its user; only new data starts a generation. */
import { jsonb, query, type Session, statement } from '../../sql.ts';

export interface SourceChange {
  name?: string | undefined;
  collectionId?: string | null | undefined;
  instructions?: Record<string, unknown> | undefined;
  metadata?: Record<string, string | number | boolean> | undefined;
  externalId?: string | null | undefined;
  data?: NewData | undefined;
}

/** New data: the caller starts the generation that processes it. */
export interface NewData {
  initialData: Record<string, unknown>;
  /** The new name, if the source's name was derived from its data. */
  derivedName: string;
  /** FILE: the claimed upload. */
  uploadId: string | null;
}

// A receiver that responded with 410 Gone gets postbacks again after the instructions have changed.
const update = statement(
  'update-source',
  `with wanted as (
     select id, coalesce($2, case when name_derived then $11 end, name) as name,
       case when $3::boolean then $4::uuid else collection_id end as collection_id,
       coalesce($5::jsonb, instructions) as instructions, coalesce($6::jsonb, metadata) as metadata,
       case when $7::boolean then $8::text else external_id end as external_id
     from sources where id = $1
   ), compared as (
     select w.*, (w.name, w.collection_id, w.instructions, w.metadata, w.external_id)
       is distinct from (s.name, s.collection_id, s.instructions, s.metadata, s.external_id) as visible
     from wanted w join sources s using (id)
   )
   update sources s set name = w.name, name_derived = s.name_derived and $2 is null, collection_id = w.collection_id,
     instructions = w.instructions, metadata = w.metadata, external_id = w.external_id,
     initial_data = coalesce($9::jsonb, s.initial_data), upload_id = coalesce($10::uuid, s.upload_id),
     postback_gone_url = case when w.instructions = s.instructions then s.postback_gone_url end,
     revision = s.revision + w.visible::int, updated_at = case when w.visible then now() else s.updated_at end
   from compared w
   where s.id = w.id`,
);

/**
 * Writes the given fields; undefined ones stay. Equal values do not increment the revision. Runs inside the caller's
 * transaction, which has locked the source.
 * @throws the database's unique violation `sources_external_id_unique` and foreign key violation
 *   `sources_collection_foreign`.
 */
export async function updateSource(session: Session, sourceId: string, change: SourceChange): Promise<void> {
  const { name, collectionId, instructions, metadata, externalId, data } = change;
  await query(session, update, [
    sourceId,
    name ?? null,
    collectionId !== undefined,
    collectionId ?? null,
    instructions === undefined ? null : jsonb(instructions),
    metadata === undefined ? null : jsonb(metadata),
    externalId !== undefined,
    externalId ?? null,
    data === undefined ? null : jsonb(data.initialData),
    data?.uploadId ?? null,
    data?.derivedName ?? null,
  ]);
}

const pin = statement(
  'pin-source',
  `update sources set pinned = coalesce($2::boolean, not pinned), revision = revision + 1, updated_at = now()
   where id = $1 and pinned is distinct from $2::boolean`,
);

/** Sets the pin, or toggles it for null. An equal value does not increment the revision. */
export async function pinSource(session: Session, sourceId: string, pinned: boolean | null): Promise<void> {
  await query(session, pin, [sourceId, pinned]);
}
