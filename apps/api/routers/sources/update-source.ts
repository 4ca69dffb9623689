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
    description:
      'Changes the fields that are sent. New `initial_data` starts a new generation; `instructions` are replaced as a whole.',
    conflict: 'Another live source of the space has this externalId; `Location` is its path.',
    bodyLimit: CONTENT_BODY_LIMIT,
    alsoWrong: async (input, { egress, database, caller }) => {
      const { data: named } = z.object({ sourceId: z.uuid() }).safeParse(input);
      const current = named && caller && (await readListedSource(database.pool, caller.userId, named.sourceId));
      return current ? sourceProblems(input, egress, current.type) : [];
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
    const current = await findListedSource(ctx, sourceId);
    const details: ErrorDetail[] = [];
    const data = initial_data && parseSourceData(current.type, initial_data.data, ctx.egress, details);
    if (change.instructions) checkPostbackUrl(change.instructions, ctx.egress, details);
    if (data === null || details.length > 0) throw badRequest(details);
    const write = initial_data && data ? await prepare(ctx, current, change, initial_data, data) : undefined;
    try {
      return await writeWithKey(ctx, async (session) => {
        const apply = await write?.lock(session);
        return actOnSource(ctx, session, current.id, {
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
      const { spaceId } = current;
      throw await constraintError(ctx.database.pool, { spaceId, externalId: change.externalId ?? null }, error);
    }
  });

interface PreparedData {
  /** Takes the locks that precede the source's in the lock order; returns the write to run once that is locked, too. */
  lock(session: Session): Promise<() => Promise<void>>;
}

/** Does the checks that must not wait inside a transaction; returns the locks and the write of the new data. */
async function prepare(
  ctx: CallContext,
  current: SourceRow,
  change: SourceChange,
  initialData: Record<string, unknown>,
  data: SourceData,
): Promise<PreparedData> {
  const { id, spaceId } = current;
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
            await write(session, countedName(current, change, data));
            await replaceMembers(session, { id, spaceId }, data.memberIds);
          };
        },
      };
  }
}

/** A new default name for a composition that still has its default name, which counts its members. */
function countedName(current: SourceRow, { name }: SourceChange, data: SourceData): SourceChange {
  const before = parseMemberIds(current.initialData.data);
  if (name !== undefined || !before.ok) return {};
  const counted = nameOf({ type: 'COMPOSITION', memberIds: before.ids });
  return current.name === counted ? { name: nameOf(data) } : {};
}
