/** Client requests that create, update, process, delete and restore sources, single and in bulk. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SourceType } from '../../../contract/statuses.ts';
import { RETENTION_SECONDS } from './cluster.ts';
import type { KnownSource, Request, SourceAction, SourceData } from './history.ts';
import { pageBehaviors, receiverBehaviors } from './outside.ts';
import { type Actor, send, sendBulk } from './requests.ts';
import { textOf } from './text.ts';
import { upload, uploadAgain } from './uploads.ts';

const CREATE_TRIES = 3;

/** A create that was sent and can be repeated with its Idempotency-Key. */
interface Creation {
  source: KnownSource;
  actor: Actor;
  body: unknown;
}

export interface SourceClients {
  /** Sends an action about a random source. Returns whether there was a response. */
  act(actor: Actor, action: SourceAction | 'bulk'): Promise<boolean>;
  /** The user's accepted sources, the newest last. */
  known(actor: Actor): KnownSource[];
  /** Repeats creates without a response until all have one. @throws when `signal` is aborted before that. */
  retryUnanswered(signal: AbortSignal): Promise<void>;
}

export function createSourceClients(seed: number): SourceClients {
  const unanswered = new Map<string, Creation>();
  const sourcesOf = new Map<string, KnownSource[]>();
  let markers = 0;

  function known({ user }: Actor): KnownSource[] {
    const list = sourcesOf.get(user.key) ?? [];
    sourcesOf.set(user.key, list);
    return list;
  }
  /** Picks one of the 5 newest sources, which may still run, in 70 % of the cases. */
  function choose({ chance }: Actor, list: readonly KnownSource[]): KnownSource | undefined {
    if (list.length === 0) return undefined;
    return chance.pick(chance.happens(0.7) ? list.slice(-5) : list);
  }
  const idOf = ({ ids }: KnownSource): string => [...ids][0] ?? '';

  async function sendCreation(creation: Creation): Promise<Request> {
    const { source, actor, body } = creation;
    const request = await send(actor, 'create', { marker: source.marker, sourceId: null }, [
      ...(['POST', `/v1/spaces/${source.spaceId}/sources`, body] as const),
      { 'idempotency-key': `create-${seed}-${source.marker}` },
    ]);
    if (request.acceptance === 'unknown') unanswered.set(source.marker, creation);
    // 409: an earlier request with the same key is still in progress.
    else if (request.status !== 409) unanswered.delete(source.marker);
    if (request.response !== null) {
      if (source.ids.size === 0) known(actor).push(source);
      source.ids.add(request.response.id);
    }
    return request;
  }

  /** Stops repeating the create of a deleted source, since after the purge it would make another source. */
  function dropCreation(marker: string): void {
    unanswered.delete(marker);
  }

  function members(actor: Actor, spaceId: string): KnownSource[] {
    return known(actor).filter((one) => one.type !== 'COMPOSITION' && one.spaceId === spaceId);
  }
  function chooseMembers(actor: Actor, spaceId: string): SourceData {
    const { chance } = actor;
    const candidates = members(actor, spaceId);
    const chosen = Array.from({ length: chance.between(2, 4) }, () => chance.pick(candidates.slice(-8)));
    const parts = [...new Set(chosen)];
    return { sent: parts.map(idOf), version: null, members: parts.map(({ marker }) => marker) };
  }

  async function create(actor: Actor): Promise<boolean> {
    const { chance, outside, user } = actor;
    const spaceId = chance.happens(0.75) ? user.spaces.main : user.spaces.side;
    const weights: Record<SourceType, number> = {
      ...{ URI: 5, CONTENT: 3, FILE: 2 },
      COMPOSITION: members(actor, spaceId).length < 2 ? 0 : 3,
    };
    const type = chance.weighted(weights);
    markers += 1;
    const marker = `m${markers}`;
    const receiver = chance.happens(0.7) ? outside.receiverUrl(marker, chance.weighted(receiverBehaviors)) : null;
    const page = outside.pageUrl(marker, chance.weighted(pageBehaviors));
    const skips = chance.happens(0.5);
    const grant = type === 'FILE' ? await upload(actor, marker, 1) : null;
    if (type === 'FILE' && grant === null) return false;
    const data: SourceData =
      type === 'COMPOSITION'
        ? chooseMembers(actor, spaceId)
        : { sent: { URI: page, CONTENT: textOf(marker, 1), FILE: grant?.fileKey }[type], version: 1, members: [] };
    const source: KnownSource = {
      ...{
        marker,
        type,
        spaceId,
        ownerKey: user.key,
        postbackUrl: receiver,
        skips,
        data,
        ids: new Set<string>(),
        version: 1,
        grant,
      },
    };
    actor.history.sources.set(marker, source);
    const body = {
      ...{ type, name: marker, initial_data: { data: data.sent } },
      instructions: {
        ...(receiver === null ? {} : { postback_url: receiver }),
        ...(skips ? { on_member_failure: 'skip' } : {}),
      },
    };
    for (let tries = 1; tries <= CREATE_TRIES; tries++) {
      const { acceptance } = await sendCreation({ source, actor, body });
      if (acceptance === 'accepted' && chance.happens(0.1)) await sendCreation({ source, actor, body });
      if (acceptance !== 'unknown') return true;
      if (chance.happens(0.4)) break;
      await delay(chance.between(100, 1_500));
    }
    return false;
  }

  /** Returns new data of the source's type, or null if none can be made. */
  async function newData(actor: Actor, source: KnownSource): Promise<SourceData | null> {
    const { marker } = source;
    switch (source.type) {
      case 'CONTENT':
        source.version += 1;
        return { sent: textOf(marker, source.version), version: source.version, members: [] };
      case 'URI':
        return {
          sent: actor.outside.pageUrl(marker, actor.chance.weighted(pageBehaviors)),
          version: null,
          members: [],
        };
      case 'COMPOSITION':
        return members(actor, source.spaceId).length < 2 ? null : chooseMembers(actor, source.spaceId);
      case 'FILE': {
        source.version += 1;
        const grant = await upload(actor, marker, source.version);
        return grant && { sent: grant.fileKey, version: null, members: [] };
      }
    }
  }

  async function update(actor: Actor): Promise<boolean> {
    const source = choose(actor, known(actor));
    const data = source && (await newData(actor, source));
    if (!source || !data) return false;
    const about = { marker: source.marker, sourceId: idOf(source), data };
    const call = ['PATCH', `/v1/sources/${idOf(source)}`, { initial_data: { data: data.sent } }] as const;
    return (await send(actor, 'update', about, [...call])).acceptance !== 'unknown';
  }

  async function bulk(actor: Actor): Promise<boolean> {
    const { chance } = actor;
    const first = choose(actor, known(actor));
    if (first === undefined) return false;
    const same = known(actor).filter(({ spaceId }) => spaceId === first.spaceId);
    const chosen = new Set([first, ...Array.from({ length: chance.between(1, 3) }, () => chance.pick(same.slice(-8)))]);
    const action = chance.weighted({ cancel: 2, reprocess: 3, refresh: 3, delete: 0.3, restore: 0.5 });
    const about = [...chosen].map((source) => ({ marker: source.marker, sourceId: idOf(source) }));
    if (action === 'delete') for (const { marker } of about) dropCreation(marker);
    await sendBulk(actor, action, first.spaceId, about);
    return true;
  }

  async function act(actor: Actor, action: SourceAction | 'bulk'): Promise<boolean> {
    const { chance, history } = actor;
    if (action === 'create' || known(actor).length < 3) return create(actor);
    if (action === 'bulk') return bulk(actor);
    if (action === 'update') return update(actor);
    const lately = Date.now() - 2 * RETENTION_SECONDS * 1_000;
    const deletes = history.requests.filter((one) => one.action === 'delete' && one.sentAt > lately);
    const deleted = new Set(deletes.map(({ marker }) => marker));
    const candidates = {
      refresh: known(actor).filter(({ type }) => type === 'URI' || type === 'FILE'),
      // Only recently deleted sources: a restore of any other source does nothing.
      restore: known(actor).filter(({ marker }) => deleted.has(marker)),
      ...{ cancel: known(actor), reprocess: known(actor), delete: known(actor) },
    }[action];
    const source = choose(actor, candidates);
    if (source === undefined) return create(actor);
    if (action === 'refresh' && source.type === 'FILE' && chance.happens(0.7)) await uploadAgain(actor, source);
    const path = `/v1/sources/${idOf(source)}`;
    const key: Record<string, string> = chance.happens(0.5)
      ? { 'idempotency-key': `${action}-${seed}-${chance.next()}` }
      : {};
    const about = { marker: source.marker, sourceId: idOf(source) };
    if (action === 'delete') dropCreation(source.marker);
    const { acceptance } = await send(
      ...([actor, action, about] as const),
      action === 'delete' ? ['DELETE', path] : ['POST', `${path}/${action}`, undefined, key],
    );
    return acceptance !== 'unknown';
  }

  return {
    act,
    known,
    async retryUnanswered(signal) {
      while (unanswered.size > 0 && !signal.aborted) {
        for (const creation of unanswered.values()) await sendCreation(creation);
        await delay(500, undefined, { signal }).catch(() => undefined);
      }
      if (unanswered.size > 0) throw new Error(`No response to the creates of ${[...unanswered.keys()]}`);
    },
  };
}
