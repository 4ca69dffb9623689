/** The stored data of an owner for an export, deleted data included, in pages ordered by id. */
import type { Collection } from '../../entities/collection.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import type { SourceGeneration } from '../../entities/source-generation.ts';
import type { Space } from '../../entities/space.ts';
import type { SupportTicket } from '../../entities/support-ticket.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import type { ArtifactRow } from '../artifacts/read-artifacts.ts';

export type ExportedSpace = ColumnsOf<
  typeof Space,
  'id' | 'name' | 'description' | 'createdAt' | 'updatedAt' | 'deletedAt'
>;

const spaces = statement<ExportedSpace>(
  'export-spaces',
  `select id, name, description, created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"
   from spaces where owner_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
);

/** The spaces of an owner after `after`, those being purged included. */
export async function readExportedSpaces(
  session: Session,
  ownerId: string,
  after: string | null,
  limit: number,
): Promise<ExportedSpace[]> {
  return query(session, spaces, [ownerId, after, limit]);
}

export type ExportedCollection = ColumnsOf<typeof Collection, 'id' | 'parentId' | 'name' | 'createdAt' | 'updatedAt'>;

const collections = statement<ExportedCollection>(
  'export-collections',
  `select id, parent_id as "parentId", name, created_at as "createdAt", updated_at as "updatedAt"
   from collections where space_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
);

/** The collections of a space after `after`. */
export async function readExportedCollections(
  session: Session,
  spaceId: string,
  after: string | null,
  limit: number,
): Promise<ExportedCollection[]> {
  return query(session, collections, [spaceId, after, limit]);
}

export interface ExportedSource
  extends ColumnsOf<
      typeof Source,
      | 'id'
      | 'collectionId'
      | 'type'
      | 'name'
      | 'status'
      | 'generation'
      | 'instructions'
      | 'metadata'
      | 'externalId'
      | 'pinned'
      | 'createdAt'
      | 'updatedAt'
      | 'deletedAt'
    >,
    ColumnsOf<
      typeof SourceGeneration,
      'error' | 'contentKey' | 'contentType' | 'contentUrl' | 'markdownKey' | 'contextKey' | 'context'
    > {
  resultGeneration: number | null;
  /** Without the text of CONTENT, which is read separately. */
  initialData: Record<string, unknown>;
  /** The name of the uploaded file. */
  filename: string | null;
}

const sources = statement<ExportedSource>(
  'export-sources',
  `select s.id, s.collection_id as "collectionId", s.type, s.name, s.status, s.generation,
     r.generation as "resultGeneration",
     case when s.type = 'CONTENT' then s.initial_data - 'data' else s.initial_data end as "initialData",
     s.instructions, s.metadata, s.external_id as "externalId", s.pinned, g.error,
     s.created_at as "createdAt", s.updated_at as "updatedAt", s.deleted_at as "deletedAt", u.filename,
     g.content_key as "contentKey", g.content_type as "contentType", g.content_url as "contentUrl",
     r.markdown_key as "markdownKey", r.context_key as "contextKey", r.context
   from sources s
   join source_generations g on g.source_id = s.id and g.generation = s.generation
   left join source_generations r on r.id = s.result_generation_id
   left join uploads u on u.id = s.upload_id
   where s.space_id = $1 and ($2::uuid is null or s.id > $2) order by s.id limit $3`,
);

/** The sources of a space after `after`, with the keys of their objects. */
export async function readExportedSources(
  session: Session,
  spaceId: string,
  after: string | null,
  limit: number,
): Promise<ExportedSource[]> {
  return query(session, sources, [spaceId, after, limit]);
}

const text = statement<{ text: string | null }>(
  'export-text',
  `select initial_data ->> 'data' as text from sources where id = $1 and type = 'CONTENT'`,
);

/** The text of a CONTENT source; null when the source is gone meanwhile. */
export async function readExportedText(session: Session, sourceId: string): Promise<string | null> {
  return (await queryOne(session, text, [sourceId]))?.text ?? null;
}

export type ExportedArtifact = Omit<ArtifactRow, 'sourceId' | 'spaceId' | 'truncated'>;

const artifacts = statement<ExportedArtifact>(
  'export-artifacts',
  `select id, kind, title, content, language, position, metadata, status, promoted_source_id as "promotedSourceId",
     created_at as "createdAt", updated_at as "updatedAt"
   from artifacts where source_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
);

/** The artifacts of a source after `after`. */
export async function readExportedArtifacts(
  session: Session,
  sourceId: string,
  after: string | null,
  limit: number,
): Promise<ExportedArtifact[]> {
  return query(session, artifacts, [sourceId, after, limit]);
}

export type ExportedTicket = ColumnsOf<
  typeof SupportTicket,
  'id' | 'type' | 'status' | 'replyAddress' | 'message' | 'createdAt' | 'sentAt'
>;

const tickets = statement<ExportedTicket>(
  'export-tickets',
  `select id, type, status, reply_address as "replyAddress", message, created_at as "createdAt", sent_at as "sentAt"
   from support_tickets where user_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
);

/** The support tickets of a user after `after`. */
export async function readExportedTickets(
  session: Session,
  userId: string,
  after: string | null,
  limit: number,
): Promise<ExportedTicket[]> {
  return query(session, tickets, [userId, after, limit]);
}
