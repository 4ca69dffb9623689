import { z } from 'zod';
import { parseMemberIds } from '../../../../contract/members.ts';
import { sourceSchema } from '../../../../contract/resources.ts';
import { readListedSource, type SourceRow } from '../../../../db/queries/sources/read-sources.ts';
import type { Session } from '../../../../db/sql.ts';
import { startGeneration } from '../../../../db/transitions/generations/start-generation.ts';
import { lockSpace, replaceMembers } from '../../../../db/transitions/sources/composition-members.ts';
import {
  type NewData,
  type SourceChange,
  updateSource as writeChange,
} from '../../../../db/transitions/sources/update-source.ts';
import {
  claimUpload,
  lockUploads,
  releaseUpload,
  type UploadClaim,
} from '../../../../db/transitions/uploads/claim-upload.ts';
import { badRequest, type ErrorDetail, notFound } from '../../errors.ts';
import { idField, metadataField, nameField } from '../../input.ts';
import { type CallContext, CONTENT_BODY_LIMIT, procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';
import { actOnSource } from './act-on-source.ts';
import { constraintError } from './constraint-error.ts';
import { findListedSource } from './find-source.ts';
import { requireMembers } from './require-members.ts';
import {
  checkPostbackUrl,
  externalIdField,
  firstCharacters,
  initialDataField,
  instructionsField,
  nameOf,
  parseSourceData,
  type SourceData,
  sourceProblems,
} from './source-input.ts';
import { findUploadedFile, unfinishedUpload } from './uploaded-file.ts';

export const updateSource = procedure
  .meta({
    rest: { method: 'PATCH', path: '/sources/{sourceId}' },
    summary: 'Update a source',
    description: 'Changes what is sent. New `initial_data` starts a new generation; `instructions` are replaced whole.',
    conflict: 'Another live source of the space has this externalId; `Location` leads to that.',
    bodyLimit: CONTENT_BODY_LIMIT,
    alsoWrong: async (input, { egress, database, caller }) => {
      const { data: named } = z.object({ sourceId: z.uuid() }).safeParse(input);
      const present = named && caller && (await readListedSource(database.pool, caller.userId, named.sourceId));
      return present ? sourceProblems(input, egress, present.type) : [];
    },
    example: { name: 'Interview, second part', metadata: { reviewed: true } },
  })
  .input(
    z.strictObject({
      sourceId: z.string(),
      name: nameField.optional(),
      collectionId: idField.nullable().optional(),
      instructions: instructionsField.optional(),
      metadata: metadataField.optional(),
      externalId: externalIdField.optional(),
      initial_data: initialDataField.optional(),
    }),
  )
  .output(sourceSchema)
  .mutation(async ({ ctx, input: { sourceId, initial_data, ...change } }) => {
    const present = await findListedSource(ctx, sourceId);
    const details: ErrorDetail[] = [];
    const data = initial_data && parseSourceData(present.type, initial_data.data, ctx.egress, details);
    if (change.instructions) checkPostbackUrl(change.instructions, ctx.egress, details);
    if (data === null || details.length > 0) throw badRequest(details);
    const write = initial_data && data ? await prepare(ctx, present, change, initial_data, data) : undefined;
    try {
      return await writeWithKey(ctx, async (session) => {
        const apply = await write?.lock(session);
        return actOnSource(ctx, session, present.id, {
          run: async ({ source, quota }) => {
            if (apply) {
              await apply();
              await quota.requireBytes();
            } else {
              await writeChange(session, source.id, change);
            }
          },
        });
      });
    } catch (error) {
      const { spaceId } = present;
      throw await constraintError(ctx.database.pool, { spaceId, externalId: change.externalId ?? null }, error);
    }
  });

interface PreparedData {
  /** Locks what comes before the source in the order of locks, and returns what writes once that is locked, too. */
  lock(session: Session): Promise<() => Promise<void>>;
}

/** How a change with new data is written, once what must not wait inside a transaction is done. */
async function prepare(
  ctx: CallContext,
  present: SourceRow,
  change: SourceChange,
  initialData: Record<string, unknown>,
  data: SourceData,
): Promise<PreparedData> {
  const { id, spaceId } = present;
  const write = async (session: Session, more: Partial<NewData> & SourceChange & { claim?: UploadClaim } = {}) => {
    const { claim = null, derivedName = nameOf(data), uploadId = null, ...rest } = more;
    await writeChange(session, id, { ...change, ...rest, data: { initialData, derivedName, uploadId } });
    const options = { runContextExtraction: true, runArtifactExtraction: true };
    await startGeneration(session, { sourceId: id, trigger: 'update', command: 'reprocess', options, claim });
  };
  switch (data.type) {
    case 'CONTENT':
    case 'URI':
      return { lock: async (session) => () => write(session) };
    case 'FILE': {
      const claim = await findUploadedFile(ctx, data.fileKey);
      return {
        async lock(session) {
          const replaced = await lockUploads(session, id, data.fileKey);
          const upload = await claimUpload(session, ctx.caller.userId, data.fileKey);
          if (upload === null) throw unfinishedUpload();
          return async () => {
            const derivedName = firstCharacters(upload.filename) || nameOf(data);
            await write(session, { derivedName, uploadId: upload.id, claim });
            if (replaced !== null) await releaseUpload(session, replaced);
          };
        },
      };
    }
    case 'COMPOSITION':
      return {
        async lock(session) {
          if (!(await lockSpace(session, ctx.caller.userId, spaceId))) throw notFound('source');
          return async () => {
            await requireMembers(session, spaceId, data.memberIds, id);
            await write(session, countedName(present, change, data));
            await replaceMembers(session, { id, spaceId }, data.memberIds);
          };
        },
      };
  }
}

/** The name of a composition that is still called by the number of its members. */
function countedName(present: SourceRow, { name }: SourceChange, data: SourceData): SourceChange {
  const before = parseMemberIds(present.initialData.data);
  if (name !== undefined || !before.ok) return {};
  const counted = nameOf({ type: 'COMPOSITION', memberIds: before.ids });
  return present.name === counted ? { name: nameOf(data) } : {};
}
