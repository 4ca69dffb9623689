/** Files that clients put into storage, and put again. */
import { z } from 'zod';
import type { KnownSource } from './history.ts';
import { type Actor, askAny, PATIENCE_MS } from './requests.ts';
import { textOf } from './text.ts';

const CONTENT_TYPE = 'text/markdown';
/** Of every version alike: a grant is for one length. */
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
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null);
  actor.history.recordOther({
    ...{ action: 'upload again', subject: grant.fileKey, detail: String(version), answerId: null },
    ...{ sentAt, answeredAt: response === null ? null : Date.now(), status: response?.status ?? null },
    verdict: response === null || response.status >= 500 ? 'unknown' : response.ok ? 'accepted' : 'refused',
  });
  return response?.ok === true;
}

/** Puts the first version of a file into storage; null where that did not work out. */
export async function upload(actor: Actor, marker: string, version: number): Promise<Grant | null> {
  const answer = await askAny(actor, 'POST', '/v1/upload/s3', {
    ...{ filename: `${marker}.md`, contentType: CONTENT_TYPE, size: FILE_BYTES },
  });
  const grant = grantSchema.safeParse(answer?.body).data;
  return grant !== undefined && (await put(actor, grant, marker, version)) ? grant : null;
}

/** Puts the next version of a source's file in the place of the one before. */
export async function uploadAgain(actor: Actor, source: KnownSource): Promise<boolean> {
  if (source.grant === null) return true;
  source.version += 1;
  return put(actor, source.grant, source.marker, source.version);
}
