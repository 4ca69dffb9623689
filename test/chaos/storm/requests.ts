/** HTTP requests of the clients; those about sources, artifacts, spaces and tickets are recorded in the history. */
import { z } from 'zod';
import type { ApiResponse } from '../../support/client.ts';
import { expectDocumented } from '../../support/document.ts';
import type { Chance } from './chance.ts';
import type { Acceptance, History, OtherAction, OtherRequest, Request, SourceAction, SourceData } from './history.ts';
import type { Outside } from './outside.ts';

/** Client timeout, shorter than long pauses of processes. */
export const REQUEST_TIMEOUT_MS = 6_000;

export interface ChaosUser {
  /** One URL for each API. */
  apiUrls: readonly string[];
  key: string;
  /** `main` is never deleted; `side` is deleted, restored and replaced. */
  spaces: { main: string; side: string };
}

export interface Actor {
  user: ChaosUser;
  chance: Chance;
  history: History;
  outside: Outside;
}

/** Sends a request. Returns null without a response. @throws when the response contradicts the OpenAPI document. */
export async function sendRequest(
  apiUrl: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse | null> {
  let response: ApiResponse;
  try {
    const received = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await received.text();
    response = { status: received.status, headers: received.headers, body: text === '' ? '' : JSON.parse(text) };
  } catch {
    return null;
  }
  await expectDocumented({ method, origin: apiUrl, path: path.replace(/\?.*/, ''), ...response });
  return response;
}

/** Sends a request to a random API. */
export function sendToAnyApi(
  { user, chance }: Actor,
  ...[method, path, body, headers]: [string, string, unknown?, Record<string, string>?]
): Promise<ApiResponse | null> {
  return sendRequest(chance.pick(user.apiUrls), user.key, method, path, body, headers);
}

/** Classifies a response: 2xx is accepted, 3xx and 4xx rejected, 408, 5xx or no response unknown. */
export function acceptanceOf(response: ApiResponse | null): Acceptance {
  if (response === null || response.status === 408 || response.status >= 500) return 'unknown';
  return response.status < 300 ? 'accepted' : 'rejected';
}

const sourceSchema = z.object({ id: z.string(), status: z.string(), generation: z.int() });
const responseSchema = z.object({ data: sourceSchema });

export interface About {
  marker: string;
  sourceId: string | null;
  data?: SourceData | null;
}

/** Sends a request about a source and records it. */
export async function send(
  actor: Actor,
  action: SourceAction,
  about: About,
  call: [string, string, unknown?, Record<string, string>?],
): Promise<Request> {
  const sentAt = Date.now();
  const response = await sendToAnyApi(actor, ...call);
  const acceptance = acceptanceOf(response);
  const source = acceptance === 'accepted' ? responseSchema.safeParse(response?.body).data?.data : undefined;
  const request: Request = {
    ...{ data: null, ...about, action, bulk: false, sentAt, acceptance, status: response?.status ?? null },
    ...{ respondedAt: response === null ? null : Date.now(), response: source ?? null },
  };
  actor.history.record(request);
  return request;
}

const bulkSchema = z.object({
  data: z.array(
    z.discriminatedUnion('ok', [
      z.object({ id: z.string(), ok: z.literal(true), source: sourceSchema }),
      z.object({ id: z.string(), ok: z.literal(false), error: z.object({ code: z.int() }) }),
    ]),
  ),
});

/** Sends one bulk request about several sources of a space and records it once for each source. */
export async function sendBulk(
  actor: Actor,
  action: Exclude<SourceAction, 'create' | 'update'>,
  spaceId: string,
  sources: readonly { marker: string; sourceId: string }[],
): Promise<void> {
  const sentAt = Date.now();
  const ids = sources.map(({ sourceId }) => sourceId);
  const response = await sendToAnyApi(actor, 'POST', `/v1/spaces/${spaceId}/sources/actions`, { action, ids });
  const acceptance = acceptanceOf(response);
  const results = acceptance === 'accepted' ? bulkSchema.parse(response?.body).data : [];
  if (acceptance === 'accepted' && results.map(({ id }) => id).join() !== ids.join()) {
    throw new Error(`The response to a bulk action on ${ids} names ${results.map(({ id }) => id)}`);
  }
  for (const [at, about] of sources.entries()) {
    const result = results[at];
    actor.history.record({
      ...{ ...about, action, bulk: true, sentAt, data: null, respondedAt: response === null ? null : Date.now() },
      acceptance: result?.ok === false ? 'rejected' : acceptance,
      status: result?.ok === false ? result.error.code : (response?.status ?? null),
      response: result?.ok ? result.source : null,
    });
  }
}

const idSchema = z.object({ data: z.object({ id: z.string() }) });

/** Sends a request about anything but a source and records it. */
export async function sendOther(
  actor: Actor,
  action: OtherAction,
  about: { subject: string; detail?: string },
  call: [string, string, unknown?, Record<string, string>?],
): Promise<OtherRequest> {
  const sentAt = Date.now();
  const response = await sendToAnyApi(actor, ...call);
  const request: OtherRequest = {
    ...{ detail: '', ...about, action, sentAt, acceptance: acceptanceOf(response), status: response?.status ?? null },
    respondedAt: response === null ? null : Date.now(),
    responseId: idSchema.safeParse(response?.body).data?.data.id ?? null,
  };
  actor.history.recordOther(request);
  return request;
}
