import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { sourceTypes } from '../../../../contract/statuses.ts';
import { Upload } from '../../../../db/entities/upload.ts';
import { findByExternalId } from '../../../../db/queries/find-by-external-id.ts';
import type { Session } from '../../../../db/sql.ts';
import { claimUpload } from '../../../../db/transitions/claim-upload.ts';
import { createComposition } from '../../../../db/transitions/create-composition.ts';
import { createSource as insertSource, type NewSource } from '../../../../db/transitions/create-source.ts';
import { nameFromContent } from '../../../../extraction/name.ts';
import type { ObjectHead } from '../../../../platform/storage.ts';
import { AppError, invalid, notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { idField, metadataField, nameField, text } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import { type CallContext, CONTENT_BODY_LIMIT, procedure } from '../../trpc.ts';
import { findSpace } from '../spaces/space-resource.ts';
import { findListedSource } from './find-source.ts';
import { initialDataField, instructionsField, parseSourceData, type SourceData } from './source-input.ts';

export const createSource = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/sources', status: 201 },
    summary: 'Create a source',
    conflict: 'A live source of the space has this externalId already; `Location` leads to it.',
    bodyLimit: CONTENT_BODY_LIMIT,
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
      name: nameField.optional(),
      collectionId: idField.nullable().default(null),
      metadata: metadataField.default({}),
      externalId: text(1, 255).nullable().default(null),
    }),
  )
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      const data = parseSourceData(input.type, input.initial_data.data, input.instructions, ctx.egress);
      const space = await findSpace(ctx, input.spaceId);
      const id = uuidv7();
      const source: NewSource = {
        id,
        ownerId: ctx.caller.userId,
        spaceId: space.id,
        collectionId: input.collectionId,
        type: input.type,
        name: input.name ?? nameOf(data),
        // A composition is named after its number of members: no heading inside says it better.
        nameDerived: input.name === undefined && data.type !== 'COMPOSITION',
        initialData: input.initial_data,
        instructions: input.instructions,
        metadata: input.metadata,
        externalId: input.externalId,
        uploadId: null,
        claimEtag: null,
      };
      const insert = await prepare(ctx, source, data);
      try {
        return await write(
          async (session) => {
            if (!(await insert(session))) throw notFound('space');
            return toSourceResource(await findListedSource(ctx, id, session));
          },
          { single: data.type === 'CONTENT' || data.type === 'URI' },
        );
      } catch (error) {
        throw await explain(ctx, source, error);
      }
    }),
  );

/** How a source of this type is inserted, once what must not wait inside a transaction is done. */
async function prepare(
  ctx: CallContext,
  source: NewSource,
  data: SourceData,
): Promise<(session: Session) => Promise<boolean>> {
  switch (data.type) {
    case 'CONTENT':
    case 'URI':
      return (session) => insertSource(session, source);
    case 'FILE': {
      const { etag } = await findUploadedFile(ctx, data.fileKey);
      return async (session) => {
        const upload = await claimUpload(session, source.ownerId, data.fileKey);
        if (upload === null) throw unfinishedUpload();
        const name = source.nameDerived ? firstCharacters(upload.filename) || source.name : source.name;
        return insertSource(session, { ...source, name, uploadId: upload.id, claimEtag: etag });
      };
    }
    case 'COMPOSITION':
      return async (session) => {
        const written = await createComposition(session, source, data.memberIds);
        const [unknown] = written?.unknown ?? [];
        if (unknown !== undefined) throw invalid('initial_data.data', `There is no source ${unknown} in this space.`);
        return written !== null;
      };
  }
}

function unfinishedUpload(): AppError {
  return invalid('initial_data.data', 'Not the key of a finished upload of yours: PUT the file first.');
}

/** What lies at the key of the caller's own upload now: the run uses that very file or says that it was changed. */
async function findUploadedFile(ctx: CallContext, fileKey: string): Promise<ObjectHead> {
  const granted = await ctx.database.orm.em.fork().count(Upload, { fileKey, ownerId: ctx.caller.userId });
  if (granted === 0) throw unfinishedUpload();
  const file = await ctx.storage.head(fileKey);
  if (file === null) throw unfinishedUpload();
  return file;
}

/** As much of a text as a name may have. */
function firstCharacters(text: string): string {
  return [...text.trim()].slice(0, 200).join('').trim();
}

/** A name for a source that came without one; the run may find a better one in the content. */
function nameOf(data: SourceData): string {
  switch (data.type) {
    case 'CONTENT':
      return nameFromContent(data.text);
    case 'URI': {
      return firstCharacters(`${data.url.host}${data.url.pathname === '/' ? '' : data.url.pathname}`);
    }
    case 'FILE':
      // Its own name is known once the upload is claimed.
      return 'File';
    case 'COMPOSITION':
      return data.memberIds.length === 1
        ? 'Composition of 1 source'
        : `Composition of ${data.memberIds.length} sources`;
  }
}

const violation = z.object({ code: z.enum(['23503', '23505']), constraint: z.string() });

/** What a constraint of the database refused, in terms of the request. */
async function explain(ctx: CallContext, source: NewSource, error: unknown): Promise<unknown> {
  const parsed = violation.safeParse(error);
  if (!parsed.success) return error;
  const { constraint } = parsed.data;
  if (constraint === 'sources_collection_foreign') {
    return invalid('collectionId', 'There is no such collection in this space.');
  }
  if (constraint === 'sources_external_id_unique' && source.externalId !== null) {
    const existing = await findByExternalId(ctx.database.pool, source.spaceId, source.externalId);
    const message = 'A live source of this space has this externalId already.';
    return new AppError('CONFLICT', existing === null ? message : `${message} Its id is ${existing}.`, {
      details: [{ field: 'externalId', message }],
      ...(existing === null ? {} : { headers: { location: `/v1/sources/${existing}` } }),
    });
  }
  return error;
}
