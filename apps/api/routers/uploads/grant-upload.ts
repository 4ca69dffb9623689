import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { uploadGrantSchema } from '../../../../contract/resources.ts';
import { createUpload } from '../../../../db/transitions/uploads/create-upload.ts';
import { QuotaCheck } from '../../admission/quota.ts';
import { badRequest, type ErrorDetail } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { text } from '../../input.ts';
import { type CallContext, procedure } from '../../trpc.ts';

/** Lifetime of the presigned URL. */
const GRANT_SECONDS = 15 * 60;

const filenameField = text(1, 255).refine((name) => !/[/\\\p{Cc}]/u.test(name) && name !== '.' && name !== '..', {
  error: 'Must be a file name without a path and without control characters.',
});

/** `type/subtype` with optional parameters (RFC 9110, 8.3.1). Texts match in one way only: no backtracking. */
const mediaType =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+([ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=([!#$%&'*+.^_`|~\w-]+|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"))*$/;

/** File systems below S3 limit a name to 255 bytes, and S3 a whole key to 1,024. */
const MAX_NAME_BYTES = 200;

/** The file name for a key: letters, digits and `._-`, shortened before its extension. */
function safeName(filename: string): string {
  const safe = filename.normalize('NFC').replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(safe)?.[0] ?? '';
  const base = [...safe.slice(0, safe.length - extension.length)];
  while (Buffer.byteLength(base.join('')) > MAX_NAME_BYTES - extension.length) base.pop();
  return base.join('') + extension;
}

const inputSchema = z.strictObject({
  filename: filenameField,
  contentType: z
    .string()
    .max(255, { error: 'Must have at most 255 characters.' })
    .regex(mediaType, { error: 'Must be a media type, like application/pdf.' }),
  size: z.int().min(1, { error: 'Must be at least 1 byte.' }),
});

function tooLarge(maxBytes: number): ErrorDetail[] {
  return [{ field: 'size', message: `Must be at most ${maxBytes} bytes.` }];
}

/** A presigned URL to PUT a file of the granted length and type. */
function sign(ctx: CallContext, { contentType, size }: z.infer<typeof inputSchema>, fileKey: string): Promise<string> {
  return ctx.storage.presignUpload({ key: fileKey, contentType, sizeBytes: size, expiresSeconds: GRANT_SECONDS });
}

/** Grants the upload of one file of this length and type, before its FILE source is created. */
export const grantUpload = procedure
  .meta({
    rest: { method: 'POST', path: '/upload/s3', envelope: 'bare' },
    summary: 'Get a presigned URL to upload a file',
    description:
      'PUT the file to `uploadUrl` with the granted Content-Type and length within 15 minutes, then create a FILE source whose `initial_data.data` is `fileKey`. A repeated request with the same Idempotency-Key gets a newly signed URL.',
    alsoWrong: (input, { config: { UPLOAD_MAX_BYTES } }) => {
      const { data } = z.object({ size: z.number().gt(UPLOAD_MAX_BYTES) }).safeParse(input);
      return data ? tooLarge(UPLOAD_MAX_BYTES) : [];
    },
    example: { filename: 'handbook.pdf', contentType: 'application/pdf', size: 48_213 },
  })
  .input(inputSchema)
  .output(uploadGrantSchema)
  .mutation(
    idempotent(
      async ({ ctx, input, write }) => {
        const { UPLOAD_MAX_BYTES, PUBLIC_URL } = ctx.config;
        const { filename, contentType, size: sizeBytes } = input;
        if (sizeBytes > UPLOAD_MAX_BYTES) throw badRequest(tooLarge(UPLOAD_MAX_BYTES));
        const fileKey = `uploads/${randomBytes(16).toString('hex')}/${safeName(filename)}`;
        const uploadUrl = await sign(ctx, input, fileKey);
        const upload = { id: uuidv7(), ownerId: ctx.caller.userId, fileKey, filename, contentType, sizeBytes };
        return write(async (session) => {
          await createUpload(session, upload);
          await new QuotaCheck(ctx, session).requireBytes();
          return { uploadUrl, publicUrl: `${PUBLIC_URL}/files/${encodeURI(fileKey)}`, fileKey };
        });
      },
      {
        // A signed URL is a secret, and expires after 15 min.
        toStored: (grant) => ({ ...grant, uploadUrl: '' }),
        fromStored: async ({ ctx, input }, grant) => ({ ...grant, uploadUrl: await sign(ctx, input, grant.fileKey) }),
      },
    ),
  );
