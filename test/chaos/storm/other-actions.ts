/** Client requests about artifacts, tickets and spaces, and waits and streams of sources. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { KnownSource } from './history.ts';
import { streamFor, waitForChange } from './observers.ts';
import { type Actor, sendOther, sendToAnyApi } from './requests.ts';

export const otherKinds = ['process', 'promote', 'ticket', 'wait', 'stream'] as const;
export type OtherKind = (typeof otherKinds)[number];

const artifactsSchema = z.object({ data: z.array(z.object({ id: z.string(), content: z.string() })) });

export interface OtherClients {
  isKind(name: string): name is OtherKind;
  /** Returns whether there was a response. */
  act(actor: Actor, kind: OtherKind): Promise<boolean>;
  /** Repeats tickets without a response until all have one. @throws when `signal` is aborted before that. */
  retryUnanswered(signal: AbortSignal): Promise<void>;
}

export function createOtherClients(seed: number, known: (actor: Actor) => readonly KnownSource[]): OtherClients {
  let tickets = 0;
  const unanswered = new Map<string, Actor>();

  async function artifact(actor: Actor, kind: 'process' | 'promote', sourceId: string): Promise<boolean> {
    const response = await sendToAnyApi(actor, 'GET', `/v1/sources/${sourceId}/artifacts`);
    const artifacts = artifactsSchema.safeParse(response?.body).data?.data ?? [];
    // The source has no results yet.
    if (artifacts.length === 0) return response !== null;
    const { id, content } = actor.chance.pick(artifacts);
    const sendAction = () =>
      sendOther(actor, `${kind} artifact`, { subject: id, detail: content }, [
        'PUT',
        `/v1/source-artifact/${id}/${kind}`,
      ]);
    const { acceptance } = await sendAction();
    // A repeated promotion must return the same source.
    if (kind === 'promote' && actor.chance.happens(0.3)) await sendAction();
    return acceptance !== 'unknown';
  }

  async function sendTicket(actor: Actor, marker: string): Promise<boolean> {
    const body = { type: 'technical', reply_address: 'storm@example.com', message: `Ticket <${marker}>` };
    const key = { 'idempotency-key': `ticket-${seed}-${marker}` };
    const request = await sendOther(actor, 'create ticket', { subject: marker }, [
      ...(['POST', '/v1/support/tickets', body] as const),
      key,
    ]);
    if (request.acceptance === 'unknown') unanswered.set(marker, actor);
    else if (request.status !== 409) unanswered.delete(marker);
    return request.acceptance !== 'unknown';
  }

  return {
    isKind: (name): name is OtherKind => otherKinds.some((kind) => kind === name),
    async act(actor, kind) {
      if (kind === 'ticket') {
        tickets += 1;
        return sendTicket(actor, `t${tickets}`);
      }
      const list = known(actor);
      if (list.length === 0) return false;
      // Artifacts exist on older sources only; the newest sources change most.
      const isOfArtifacts = kind === 'process' || kind === 'promote';
      const [sourceId = ''] = actor.chance.pick(isOfArtifacts ? list : list.slice(-8)).ids;
      if (kind === 'wait') return waitForChange(actor, sourceId);
      if (kind === 'stream') return streamFor(actor, sourceId, actor.chance.between(2_000, 8_000));
      return artifact(actor, kind, sourceId);
    },
    async retryUnanswered(signal) {
      while (unanswered.size > 0 && !signal.aborted) {
        for (const [marker, actor] of unanswered) await sendTicket(actor, marker);
        await delay(500, undefined, { signal }).catch(() => undefined);
      }
      if (unanswered.size > 0) throw new Error(`No response to the tickets ${[...unanswered.keys()]}`);
    },
  };
}

const spaceSchema = z.object({ data: z.object({ id: z.string() }) });
const RESTORE_TRIES = 20;

/** Repeatedly deletes the user's side space, then restores it or replaces it by a new one so that it is purged. */
export async function startSpaceClient(actor: Actor, signal: AbortSignal): Promise<void> {
  const { chance, user } = actor;
  const pause = (minMs: number, maxMs: number) =>
    delay(chance.between(minMs, maxMs), undefined, { signal }).catch(() => undefined);
  await pause(6_000, 12_000);
  while (!signal.aborted) {
    const { side } = user.spaces;
    await sendOther(actor, 'delete space', { subject: side }, ['DELETE', `/v1/spaces/${side}`]);
    await pause(1_500, 7_000);
    const response = chance.happens(0.3) ? await sendToAnyApi(actor, 'POST', '/v1/spaces', { name: 'Side' }) : null;
    const next = spaceSchema.safeParse(response?.body).data?.data.id;
    if (next === undefined) await restore(actor, side);
    else user.spaces.side = next;
    await pause(8_000, 16_000);
  }
}

/** Retries until there is a response, since the clients cannot reach the sources of a deleted space. */
async function restore(actor: Actor, spaceId: string): Promise<void> {
  for (let tries = 1; tries <= RESTORE_TRIES; tries++) {
    const call = ['POST', `/v1/spaces/${spaceId}/restore`] as const;
    const { acceptance } = await sendOther(actor, 'restore space', { subject: spaceId }, [...call]);
    if (acceptance !== 'unknown') return;
    await delay(500);
  }
}
