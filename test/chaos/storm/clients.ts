/** Clients of several users, who do what comes to their minds over HTTP, and note what they were answered. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { SourceType } from '../../../contract/statuses.ts';
import type { Answer } from '../../support/client.ts';
import { expectDocumented } from '../../support/document.ts';
import { type Chance, createChance } from './chance.ts';
import type { Action, KnownSource, Ledger, Request } from './ledger.ts';
import { type Outside, pageManners, receiverManners } from './outside.ts';
import { textOf } from './text.ts';

/** After this long a client gives up: a part may be paused for longer. */
const PATIENCE_MS = 6_000;
const CREATE_TRIES = 3;

export interface StormUser {
  apiUrl: string;
  key: string;
  spaceId: string;
}

interface Actor {
  user: StormUser;
  chance: Chance;
  ledger: Ledger;
  outside: Outside;
}

/** A request of a client; null where no answer came. */
export async function ask(
  { apiUrl, key }: Pick<StormUser, 'apiUrl' | 'key'>,
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

const answerSchema = z.object({ data: z.object({ id: z.string(), status: z.string(), generation: z.int() }) });

/** Sends a request about a source and notes it. */
async function send(
  { user, ledger }: Actor,
  action: Action,
  about: { marker: string; sourceId: string | null },
  [method, path, body, headers]: [string, string, unknown?, Record<string, string>?],
): Promise<Request> {
  const sentAt = Date.now();
  const answer = await ask(user, method, path, body, headers);
  const lost = answer === null || answer.status >= 500;
  const verdict = lost ? 'unknown' : answer.status < 300 ? 'accepted' : 'refused';
  const source = verdict === 'accepted' ? answerSchema.safeParse(answer?.body).data?.data : undefined;
  const request: Request = {
    ...about,
    ...{ action, sentAt, answeredAt: answer === null ? null : Date.now(), verdict, status: answer?.status ?? null },
    answer: source ?? null,
  };
  ledger.record(request);
  return request;
}

const grantSchema = z.object({ uploadUrl: z.string(), fileKey: z.string() });

/** Puts a file into storage; null where that did not work out. */
async function upload({ user }: Actor, marker: string): Promise<string | null> {
  const bytes = new TextEncoder().encode(textOf(marker, 1));
  const contentType = 'text/markdown';
  const answer = await ask(user, 'POST', '/v1/upload/s3', {
    ...{ filename: `${marker}.md`, contentType, size: bytes.byteLength },
  });
  const grant = grantSchema.safeParse(answer?.body).data;
  if (grant === undefined) return null;
  const put = await fetch(grant.uploadUrl, {
    ...{ method: 'PUT', body: bytes, headers: { 'content-type': contentType } },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null);
  return put?.ok ? grant.fileKey : null;
}

/** A create that was sent, so that it can be sent again with its Idempotency-Key. */
interface Creation {
  marker: string;
  actor: Actor;
  body: unknown;
}

export interface Clients {
  /** Resolves when every client has done its last action. */
  done: Promise<void>;
  /** Sends every create again that was never answered, until it is. */
  askAgain(signal: AbortSignal): Promise<void>;
}

/** Lets `count` clients of each user act until `signal` is aborted. */
export function startClients(
  options: { users: StormUser[]; count: number; seed: number; ledger: Ledger; outside: Outside },
  signal: AbortSignal,
): Clients {
  const { users, count, seed, ledger, outside } = options;
  const unanswered = new Map<string, Creation>();
  let markers = 0;

  /** The user's sources that can be acted on, the newest last. */
  const known = ({ user }: Actor): KnownSource[] => sourcesOf.get(user.spaceId) ?? [];
  const sourcesOf = new Map<string, KnownSource[]>(users.map(({ spaceId }) => [spaceId, []]));

  async function sendCreation(creation: Creation): Promise<Request> {
    const { marker, actor, body } = creation;
    const path = `/v1/spaces/${actor.user.spaceId}/sources`;
    const request = await send(actor, 'create', { marker, sourceId: null }, [
      ...(['POST', path, body] as const),
      { 'idempotency-key': `create-${seed}-${marker}` },
    ]);
    const source = ledger.sources.get(marker);
    if (request.verdict === 'unknown') unanswered.set(marker, creation);
    // Still running, by an earlier try: not answered yet.
    else if (request.status !== 409) unanswered.delete(marker);
    if (request.answer !== null && source !== undefined) {
      if (source.ids.size === 0) known(actor).push(source);
      source.ids.add(request.answer.id);
    }
    return request;
  }

  /** Returns whether it was answered. */
  async function create(actor: Actor): Promise<boolean> {
    const { chance } = actor;
    const members = known(actor).filter(({ type }) => type !== 'COMPOSITION');
    const weights: Record<SourceType, number> = {
      URI: 5,
      CONTENT: 3,
      FILE: 2,
      COMPOSITION: members.length < 2 ? 0 : 2,
    };
    const type = chance.weighted(weights);
    markers += 1;
    const marker = `m${markers}`;
    const chosen = type === 'COMPOSITION' ? [chance.pick(members), chance.pick(members.slice(-6))] : [];
    const parts = [...new Set(chosen)];
    const receiver = chance.happens(0.7) ? outside.receiverUrl(marker, chance.weighted(receiverManners)) : null;
    const page = outside.pageUrl(marker, chance.weighted(pageManners));
    const skips = chance.happens(0.5);
    const fileKey = type === 'FILE' ? await upload(actor, marker) : '';
    if (fileKey === null) return false;
    const data = {
      ...{ URI: page, CONTENT: textOf(marker, 1), FILE: fileKey },
      COMPOSITION: parts.flatMap(({ ids }) => [...ids].slice(0, 1)),
    }[type];
    ledger.sources.set(marker, {
      ...{ marker, type, postbackUrl: receiver, ids: new Set(), version: 1 },
      members: parts.map((part) => part.marker),
    });
    const body = {
      ...{ type, name: marker, initial_data: { data } },
      instructions: {
        ...(receiver === null ? {} : { postback_url: receiver }),
        ...(skips ? { on_member_failure: 'skip' } : {}),
      },
    };
    for (let tries = 1; tries <= CREATE_TRIES; tries++) {
      const { verdict } = await sendCreation({ marker, actor, body });
      if (verdict !== 'unknown') return true;
      if (chance.happens(0.4)) break;
      await delay(chance.between(100, 1_500));
    }
    return false;
  }

  /** Returns whether it was answered. */
  async function act(actor: Actor): Promise<boolean> {
    const { chance } = actor;
    const candidates = known(actor);
    const action = chance.weighted({
      ...{ create: candidates.length < 3 ? 20 : 5, cancel: 3, reprocess: 3, refresh: 3 },
      ...{ update: 1, delete: 1, restore: 1 },
    });
    if (action === 'create' || candidates.length === 0) return create(actor);
    // Mostly one of the newest, which may still run.
    const source = chance.pick(chance.happens(0.7) ? candidates.slice(-5) : candidates);
    const { marker } = source;
    const [sourceId = ''] = source.ids;
    const path = `/v1/sources/${sourceId}`;
    const about = { marker, sourceId };
    const key: Record<string, string> = chance.happens(0.5)
      ? { 'idempotency-key': `${action}-${seed}-${chance.next()}` }
      : {};
    const ask = (): Parameters<typeof send>[3] => {
      if (action === 'delete') return ['DELETE', path];
      if (action !== 'update') return ['POST', `${path}/${action}`, undefined, key];
      source.version += 1;
      return ['PATCH', path, { initial_data: { data: textOf(marker, source.version) } }];
    };
    if (action === 'update' && source.type !== 'CONTENT') return true;
    return (await send(actor, action, about, ask())).verdict !== 'unknown';
  }

  async function run(actor: Actor): Promise<void> {
    while (!signal.aborted) {
      const answered = await act(actor);
      // Whoever got no answer waits, as clients do.
      const [least, most] = answered ? [50, 600] : [500, 2_000];
      await delay(actor.chance.between(least, most), undefined, { signal }).catch(() => undefined);
    }
  }

  const actors = users.flatMap((user, at) =>
    Array.from({ length: count }, (_, number): Actor => {
      return { user, ledger, outside, chance: createChance(seed, `client ${at}.${number}`) };
    }),
  );
  return {
    done: Promise.all(actors.map(run)).then(() => undefined),
    async askAgain(interrupted) {
      while (unanswered.size > 0) {
        interrupted.throwIfAborted();
        for (const creation of unanswered.values()) await sendCreation(creation);
        await delay(500);
      }
    },
  };
}
