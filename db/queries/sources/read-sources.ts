/** Sources as the API returns them: the row, the current generation, the result and the newest postback. */
import type { GenerationError } from '../../../contract/resources.ts';
import type { PostbackState } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import type { SourceGeneration } from '../../entities/source-generation.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export interface SourceRow
  extends ColumnsOf<
      typeof Source,
      | 'id'
      | 'spaceId'
      | 'collectionId'
      | 'type'
      | 'name'
      | 'status'
      | 'generation'
      | 'revision'
      | 'initialData'
      | 'truncated'
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
      | 'stage'
      | 'stageTimes'
      | 'contentType'
      | 'contentSize'
      | 'startedAt'
      | 'finishedAt'
      | 'skippedMembers'
      | 'contextGeneration'
      | 'artifactsGeneration'
    > {
  error: GenerationError | null;
  resultGeneration: number | null;
  postbackId: string | null;
  postbackState: PostbackState | null;
  postbackAttempts: number | null;
  postbackStatusCode: number | null;
  postbackNextAttemptAt: Date | null;
  stale: boolean;
}

export interface SourceRowWithContext extends SourceRow, ColumnsOf<typeof SourceGeneration, 'context'> {
  /** Bytes of the text of CONTENT, as UTF-8. */
  textSize: number;
}

/** The columns of a SourceRow, from `sources s` with `sourceJoins`. */
const columns = (initialData: string) => `
  s.id, s.space_id as "spaceId", s.collection_id as "collectionId", s.type, s.name, s.status, s.generation, s.revision,
  ${initialData}, s.instructions, s.metadata, s.external_id as "externalId", s.pinned, s.created_at as "createdAt",
  s.updated_at as "updatedAt", s.deleted_at as "deletedAt",
  g.error, g.stage, g.stage_times as "stageTimes", g.content_type as "contentType", g.content_size as "contentSize",
  g.started_at as "startedAt", g.finished_at as "finishedAt", g.skipped_members as "skippedMembers",
  r.generation as "resultGeneration", r.context_generation as "contextGeneration",
  r.artifacts_generation as "artifactsGeneration",
  p.id as "postbackId", p.state as "postbackState", p.attempts as "postbackAttempts",
  p.last_status_code as "postbackStatusCode", p.next_attempt_at as "postbackNextAttemptAt",
  s.type = 'COMPOSITION' and exists (
    select from composition_members m join sources ms on ms.id = m.member_id
    join source_generations mr on mr.id = ms.result_generation_id
    where m.composition_id = s.id and mr.generation > m.used_generation) as stale`;

export const sourceJoins = `
  join source_generations g on g.source_id = s.id and g.generation = s.generation
  left join source_generations r on r.id = s.result_generation_id
  left join lateral (
    select p.* from postbacks p join source_generations pg on pg.id = p.generation_id
    where p.source_id = s.id order by pg.generation desc limit 1) p on true`;

/** The complete data if its text has at most `$4` bytes, else the data as in lists. */
const dataWithin =
  'case when s.text_size <= $4::bigint then s.initial_data else s.listed_data end as "initialData", false as truncated';

export const listedColumns = columns('s.listed_data as "initialData", s.truncated');

const live = `exists (select from spaces sp where sp.id = s.space_id and sp.deleted_at is null)`;

const ofOwner = `s.id = $1 and s.owner_id = $2 and ($3::boolean or s.deleted_at is null) and ${live}`;

const one = statement<SourceRowWithContext>(
  'read-source',
  `select ${columns(dataWithin)}, s.text_size as "textSize", r.context from sources s ${sourceJoins} where ${ofOwner}`,
);

/**
 * One source of this owner with its context, or null. Its text is complete if it has at most `maxBytes` bytes, else
 * cut. Deleted sources only with `includeDeleted`.
 */
export async function readSource(
  session: Session,
  ownerId: string,
  id: string,
  { includeDeleted = false, maxBytes }: { includeDeleted?: boolean; maxBytes: number },
): Promise<SourceRowWithContext | null> {
  return queryOne(session, one, [id, ownerId, includeDeleted, maxBytes]);
}

const oneCut = statement<SourceRow>(
  'read-source-cut',
  `select ${listedColumns} from sources s ${sourceJoins} where ${ofOwner}`,
);

/** One source of this owner as in lists, or null. Deleted sources only with `includeDeleted`. */
export async function readListedSource(
  session: Session,
  ownerId: string,
  id: string,
  { includeDeleted = false }: { includeDeleted?: boolean } = {},
): Promise<SourceRow | null> {
  return queryOne(session, oneCut, [id, ownerId, includeDeleted]);
}

/** The status and revision by which a change of a source is detected. */
export type SourceState = Pick<SourceRow, 'id' | 'spaceId' | 'status' | 'revision'>;

const state = statement<SourceState>(
  'read-source-state',
  `select s.id, s.space_id as "spaceId", s.status, s.revision from sources s where ${ofOwner}`,
);

/** The state of one source of this owner, or null. Deleted sources only with `includeDeleted`. */
export async function readSourceState(
  session: Session,
  ownerId: string,
  id: string,
  { includeDeleted = false }: { includeDeleted?: boolean } = {},
): Promise<SourceState | null> {
  return queryOne(session, state, [id, ownerId, includeDeleted]);
}

export type ShownMarkdown = ColumnsOf<typeof SourceGeneration, 'contextGeneration' | 'markdownKey' | 'markdownSize'>;

export type ShownContext = ColumnsOf<typeof SourceGeneration, 'contextGeneration' | 'contextKey' | 'context'>;

const ofResult = `
  from sources s left join source_generations r on r.id = s.result_generation_id
  where s.id = $1 and s.owner_id = $2 and s.deleted_at is null and ${live}`;

const shownMarkdown = statement<ShownMarkdown>(
  'read-shown-markdown',
  `select r.context_generation as "contextGeneration", r.markdown_key as "markdownKey",
          r.markdown_size as "markdownSize" ${ofResult}`,
);

/** Object key and size of the Markdown of a source's result, or null when the source does not exist. */
export async function readShownMarkdown(session: Session, ownerId: string, id: string): Promise<ShownMarkdown | null> {
  return queryOne(session, shownMarkdown, [id, ownerId]);
}

const shownContext = statement<ShownContext>(
  'read-shown-context',
  `select r.context_generation as "contextGeneration", r.context_key as "contextKey", r.context ${ofResult}`,
);

/** The context of a source's result and the object key of its chunks, or null when the source does not exist. */
export async function readShownContext(session: Session, ownerId: string, id: string): Promise<ShownContext | null> {
  return queryOne(session, shownContext, [id, ownerId]);
}
