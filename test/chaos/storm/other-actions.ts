/** What clients do beside sources: artifacts, tickets, waits, streams, and spaces that are deleted and restored. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { KnownSource } from './history.ts';
import { streamFor, waitForChange } from './observers.ts';
import { type Actor, askAny, sendOther } from './requests.ts';

export const otherKinds = ['process', 'promote', 'ticket', 'wait', 'stream'] as const;
export type OtherKind = (typeof otherKinds)[number];

const artifactsSchema = z.object({ data: z.array(z.object({ id: z.string(), content: z.string() })) });

export interface OtherClients {
  isKind(name: string): name is OtherKind;
  /** Returns whether it was answered. */
  act(actor: Actor, kind: OtherKind): Promise<boolean>;
  /** Sends every ticket again that was never answered, until it is, or `signal` is aborted. */
  askAgain(signal: AbortSignal): Promise<void>;
}

export function createOtherClients(seed: number, known: (actor: Actor) => readonly KnownSource[]): OtherClients {
  let tickets = 0;
  const unanswered = new Map<string, Actor>();

  async function artifact(actor: Actor, kind: 'process' | 'promote', sourceId: string): Promise<boolean> {
    const answer = await askAny(actor, 'GET', `/v1/sources/${sourceId}/artifacts`);
    const artifacts = artifactsSchema.safeParse(answer?.body).data?.data ?? [];
    // Nothing was made of the source yet.
    if (artifacts.length === 0) return answer !== null;
    const { id, content } = actor.chance.pick(artifacts);
    const ask = () =>
      sendOther(actor, `${kind} artifact`, { subject: id, detail: content }, [
        'PUT',
        `/v1/source-artifact/${id}/${kind}`,
      ]);
    const { verdict } = await ask();
    // A promotion that is asked for again leads to the same source.
    if (kind === 'promote' && actor.chance.happens(0.3)) await ask();
    return verdict !== 'unknown';
  }

  async function sendTicket(actor: Actor, marker: string): Promise<boolean> {
    const body = { type: 'technical', reply_address: 'storm@example.com', message: `Ticket <${marker}>` };
    const key = { 'idempotency-key': `ticket-${seed}-${marker}` };
    const request = await sendOther(actor, 'create ticket', { subject: marker }, [
      ...(['POST', '/v1/support/tickets', body] as const),
      key,
    ]);
    if (request.verdict === 'unknown') unanswered.set(marker, actor);
    else if (request.status !== 409) unanswered.delete(marker);
    return request.verdict !== 'unknown';
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
      // Only older ones have artifacts; the newest change most.
      const isOfArtifacts = kind === 'process' || kind === 'promote';
      const [sourceId = ''] = actor.chance.pick(isOfArtifacts ? list : list.slice(-8)).ids;
      if (kind === 'wait') return waitForChange(actor, sourceId);
      if (kind === 'stream') return streamFor(actor, sourceId, actor.chance.between(2_000, 8_000));
      return artifact(actor, kind, sourceId);
    },
    async askAgain(signal) {
      while (unanswered.size > 0 && !signal.aborted) {
        for (const [marker, actor] of unanswered) await sendTicket(actor, marker);
        await delay(500, undefined, { signal }).catch(() => undefined);
      }
      if (unanswered.size > 0) throw new Error(`Never answered: the tickets ${[...unanswered.keys()]}`);
    },
  };
}

const spaceSchema = z.object({ data: z.object({ id: z.string() }) });
const RESTORE_TRIES = 20;

/** Deletes the user's side space again and again; it is restored, or replaced by a new one and left to its purge. */
export async function startSpaceClient(actor: Actor, signal: AbortSignal): Promise<void> {
  const { chance, user } = actor;
  const pause = (least: number, most: number) =>
    delay(chance.between(least, most), undefined, { signal }).catch(() => undefined);
  await pause(6_000, 12_000);
  while (!signal.aborted) {
    const { side } = user.spaces;
    await sendOther(actor, 'delete space', { subject: side }, ['DELETE', `/v1/spaces/${side}`]);
    await pause(1_500, 7_000);
    const answer = chance.happens(0.3) ? await askAny(actor, 'POST', '/v1/spaces', { name: 'Side' }) : null;
    const next = spaceSchema.safeParse(answer?.body).data?.data.id;
    if (next === undefined) await restore(actor, side);
    else user.spaces.side = next;
    await pause(8_000, 16_000);
  }
}

/** Until it is answered: what a deleted space keeps from its clients would be missed. */
async function restore(actor: Actor, spaceId: string): Promise<void> {
  for (let tries = 1; tries <= RESTORE_TRIES; tries++) {
    const call = ['POST', `/v1/spaces/${spaceId}/restore`] as const;
    const { verdict } = await sendOther(actor, 'restore space', { subject: spaceId }, [...call]);
    if (verdict !== 'unknown') return;
    await delay(500);
  }
}
