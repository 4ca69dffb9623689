/** Requests of a storm's clients over HTTP; each about a source, an artifact, a space or a ticket is noted. */
import { z } from 'zod';
import type { Answer } from '../../support/client.ts';
import { expectDocumented } from '../../support/document.ts';
import type { Chance } from './chance.ts';
import type { History, OtherAction, OtherRequest, Request, SourceAction, SourceData, Verdict } from './history.ts';
import type { Outside } from './outside.ts';

/** After this long a client gives up: a process may be paused for longer. */
export const PATIENCE_MS = 6_000;

export interface StormUser {
  /** One for each API. */
  apiUrls: readonly string[];
  key: string;
  /** The space that is never deleted, and one that is deleted, restored and replaced. */
  spaces: { main: string; side: string };
}

export interface Actor {
  user: StormUser;
  chance: Chance;
  history: History;
  outside: Outside;
}

/** A request; null where no answer came. @throws when the answer is not as the API's document says. */
export async function ask(
  apiUrl: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer | null> {
  let answer: Answer;
  try {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    answer = { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) };
  } catch {
    return null;
  }
  await expectDocumented({ method, origin: apiUrl, path: path.replace(/\?.*/, ''), ...answer });
  return answer;
}

/** A request to one of the APIs. */
export function askAny(
  { user, chance }: Actor,
  ...[method, path, body, headers]: [string, string, unknown?, Record<string, string>?]
): Promise<Answer | null> {
  return ask(chance.pick(user.apiUrls), user.key, method, path, body, headers);
}

export function verdictOf(answer: Answer | null): Verdict {
  if (answer === null || answer.status >= 500) return 'unknown';
  return answer.status < 300 ? 'accepted' : 'refused';
}

const sourceSchema = z.object({ id: z.string(), status: z.string(), generation: z.int() });
const answerSchema = z.object({ data: sourceSchema });

export interface About {
  marker: string;
  sourceId: string | null;
  data?: SourceData | null;
}

/** Sends a request about a source and notes it. */
export async function send(
  actor: Actor,
  action: SourceAction,
  about: About,
  call: [string, string, unknown?, Record<string, string>?],
): Promise<Request> {
  const sentAt = Date.now();
  const answer = await askAny(actor, ...call);
  const verdict = verdictOf(answer);
  const source = verdict === 'accepted' ? answerSchema.safeParse(answer?.body).data?.data : undefined;
  const request: Request = {
    ...{ data: null, ...about, action, bulk: false, sentAt, verdict, status: answer?.status ?? null },
    ...{ answeredAt: answer === null ? null : Date.now(), answer: source ?? null },
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

/** Sends one request about several sources of a space, and notes it as one for each of them. */
export async function sendBulk(
  actor: Actor,
  action: Exclude<SourceAction, 'create' | 'update'>,
  spaceId: string,
  sources: readonly { marker: string; sourceId: string }[],
): Promise<void> {
  const sentAt = Date.now();
  const ids = sources.map(({ sourceId }) => sourceId);
  const answer = await askAny(actor, 'POST', `/v1/spaces/${spaceId}/sources/actions`, { action, ids });
  const verdict = verdictOf(answer);
  const results = verdict === 'accepted' ? bulkSchema.parse(answer?.body).data : [];
  if (verdict === 'accepted' && results.map(({ id }) => id).join() !== ids.join()) {
    throw new Error(`A bulk action on ${ids} answered for ${results.map(({ id }) => id)}`);
  }
  for (const [at, about] of sources.entries()) {
    const result = results[at];
    actor.history.record({
      ...{ ...about, action, bulk: true, sentAt, data: null, answeredAt: answer === null ? null : Date.now() },
      verdict: result?.ok === false ? 'refused' : verdict,
      status: result?.ok === false ? result.error.code : (answer?.status ?? null),
      answer: result?.ok ? result.source : null,
    });
  }
}

const idSchema = z.object({ data: z.object({ id: z.string() }) });

/** Sends a request about something other than a source and notes it. */
export async function sendOther(
  actor: Actor,
  action: OtherAction,
  about: { subject: string; detail?: string },
  call: [string, string, unknown?, Record<string, string>?],
): Promise<OtherRequest> {
  const sentAt = Date.now();
  const answer = await askAny(actor, ...call);
  const request: OtherRequest = {
    ...{ detail: '', ...about, action, sentAt, verdict: verdictOf(answer), status: answer?.status ?? null },
    answeredAt: answer === null ? null : Date.now(),
    answerId: idSchema.safeParse(answer?.body).data?.data.id ?? null,
  };
  actor.history.recordOther(request);
  return request;
}
