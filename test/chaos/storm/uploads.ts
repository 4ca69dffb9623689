/** Uploads of files by clients, also over an earlier version. */
import { z } from 'zod';
import type { KnownSource } from './history.ts';
import { type Actor, REQUEST_TIMEOUT_MS, sendToAnyApi } from './requests.ts';
import { textOf } from './text.ts';

const CONTENT_TYPE = 'text/markdown';
/** Size of every version, since a grant is for one size. */
const FILE_BYTES = 1_000;

function fileOf(marker: string, version: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(textOf(marker, version).padEnd(FILE_BYTES, ' '));
}

const grantSchema = z.object({ uploadUrl: z.string(), fileKey: z.string() });
export type Grant = z.infer<typeof grantSchema>;

async function put(actor: Actor, grant: Grant, marker: string, version: number): Promise<boolean> {
  const sentAt = Date.now();
  const response = await fetch(grant.uploadUrl, {
    ...{ method: 'PUT', body: fileOf(marker, version), headers: { 'content-type': CONTENT_TYPE } },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch(() => null);
  actor.history.recordOther({
    ...{ action: 'upload again', subject: grant.fileKey, detail: String(version), responseId: null },
    ...{ sentAt, respondedAt: response === null ? null : Date.now(), status: response?.status ?? null },
    acceptance: response === null || response.status >= 500 ? 'unknown' : response.ok ? 'accepted' : 'rejected',
  });
  return response?.ok === true;
}

/** Uploads a new file. Returns null on failure. */
export async function upload(actor: Actor, marker: string, version: number): Promise<Grant | null> {
  const response = await sendToAnyApi(actor, 'POST', '/v1/upload/s3', {
    ...{ filename: `${marker}.md`, contentType: CONTENT_TYPE, size: FILE_BYTES },
  });
  const grant = grantSchema.safeParse(response?.body).data;
  return grant !== undefined && (await put(actor, grant, marker, version)) ? grant : null;
}

/** Overwrites a source's file with its next version. Returns false on failure. */
export async function uploadAgain(actor: Actor, source: KnownSource): Promise<boolean> {
  if (source.grant === null) return true;
  source.version += 1;
  return put(actor, source.grant, source.marker, source.version);
}
