import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { sourceTypes } from '../../../../contract/statuses.ts';
import type { SourceRow } from '../../../../db/queries/sources/read-sources.ts';
import type { Session } from '../../../../db/sql.ts';
import { lockSpace, replaceMembers } from '../../../../db/transitions/sources/composition-members.ts';
import { createSource as insertSource, type NewSource } from '../../../../db/transitions/sources/create-source.ts';
import { claimUpload } from '../../../../db/transitions/uploads/claim-upload.ts';
import { QuotaCheck } from '../../admission/quota.ts';
import { badRequest, type ErrorDetail, notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { idField, isUuid, metadataField, nameField } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import { type CallContext, CONTENT_BODY_LIMIT, procedure } from '../../trpc.ts';
import { constraintError } from './constraint-error.ts';
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

export const createSource = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/sources', status: 201 },
    summary: 'Create a source',
    conflict: 'Another live source of the space has this externalId; `Location` is its path.',
    bodyLimit: CONTENT_BODY_LIMIT,
    alsoWrong: (input, { egress }) => sourceProblems(input, egress),
    example: {
      type: 'CONTENT',
      name: 'Listing files',
      initial_data: { data: 'User: How do I list files?\n\nAssistant: With `ls`.' },
      instructions: {},
    },
  })
  .input(
    z.strictObject({
      spaceId: z.string(),
      type: z.enum(sourceTypes),
      initial_data: initialDataField,
      instructions: instructionsField,
      name: nameField.optional().describe('Default: a name from the content.'),
      collectionId: idField.nullable().default(null),
      metadata: metadataField.default({}),
      externalId: externalIdField.default(null),
    }),
  )
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      const details: ErrorDetail[] = [];
      const data = parseSourceData(input.type, input.initial_data.data, ctx.egress, details);
      checkPostbackUrl(input.instructions, ctx.egress, details);
      if (data === null || details.length > 0) throw badRequest(details);
      if (!isUuid(input.spaceId)) throw notFound('space');
      const source: NewSource = {
        id: uuidv7(),
        ownerId: ctx.caller.userId,
        spaceId: input.spaceId.toLowerCase(),
        collectionId: input.collectionId,
        type: input.type,
        name: input.name ?? nameOf(data),
        // A composition is named after its number of members; a heading of its content would not describe it.
        nameDerived: input.name === undefined && data.type !== 'COMPOSITION',
        initialData: input.initial_data,
        instructions: input.instructions,
        metadata: input.metadata,
        externalId: input.externalId,
        uploadId: null,
        claim: null,
      };
      const insert = await prepare(ctx, source, data);
      try {
        return await write(async (session) => {
          const row = await insert(session);
          if (row === null) throw notFound('space');
          const quota = new QuotaCheck(ctx, session);
          await quota.requireSource();
          await quota.requireBytes();
          return toSourceResource(row);
        });
      } catch (error) {
        throw await constraintError(ctx.database.pool, source, error);
      }
    }),
  );

/** Does the checks that must not wait inside a transaction, and returns the insert to be run in one. */
async function prepare(
  ctx: CallContext,
  source: NewSource,
  data: SourceData,
): Promise<(session: Session) => Promise<SourceRow | null>> {
  switch (data.type) {
    case 'CONTENT':
    case 'URI':
      return (session) => insertSource(session, source);
    case 'FILE': {
      const claim = await findUploadedFile(ctx, data.fileKey);
      return async (session) => {
        const upload = await claimUpload(session, source.ownerId, data.fileKey);
        if (upload === null) throw unfinishedUpload();
        const name = source.nameDerived ? firstCharacters(upload.filename) || source.name : source.name;
        return insertSource(session, { ...source, name, uploadId: upload.id, claim });
      };
    }
    case 'COMPOSITION':
      return async (session) => {
        const { ownerId, spaceId } = source;
        if (!(await lockSpace(session, ownerId, spaceId))) return null;
        await requireMembers(session, spaceId, data.memberIds);
        const row = await insertSource(session, source);
        if (row !== null) await replaceMembers(session, source, data.memberIds);
        return row;
      };
  }
}
