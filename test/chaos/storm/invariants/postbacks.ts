import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { FinalState } from '../final-state.ts';
import { type History, mayBeLost } from '../history.ts';

const bodySchema = z.object({
  type: z.string(),
  data: z.object({ id: z.string(), generation: z.int(), status: z.string(), name: z.string() }),
});

type Received = FinalState['received'][number];

/** As in the libraries of Standard Webhooks; the clocks of the chaos run are up to 150 s off. */
const TOLERANCE_MS = 5 * 60_000;

/** Checks the signature as of the time of arrival, since the run may be longer than a receiver's tolerance. */
function isSigned({ body, headers, secret, at }: Received): boolean {
  const sent = Number(headers['webhook-timestamp']) * 1_000;
  if (Math.abs(at - sent) > TOLERANCE_MS) return false;
  const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(sent), body);
  return (headers['webhook-signature'] ?? '').split(' ').includes(expected);
}

/** A receiver gets one correct postback for each ended generation, and none for superseded ones. */
export function onePostbackForEachEnd(state: FinalState): string[] {
  const { history, sources, received, postbacks } = state;
  const violations: string[] = [];
  const messages = received.map((request) => ({
    request,
    message: bodySchema.safeParse(JSON.parse(request.body)).data,
  }));
  for (const { request, message } of messages) {
    if (message === undefined) violations.push(`invalid postback body to ${request.marker}: ${request.body}`);
    if (!isSigned(request)) violations.push(`invalid signature to ${request.marker} (${message?.data.id})`);
  }
  const byEnd = Map.groupBy(messages, ({ message }) => `${message?.data.id} ${message?.data.generation}`);
  const rows = new Map(postbacks.map((row) => [`${row.sourceId} ${row.generation}`, row]));
  for (const { id, marker, generations } of sources) {
    const url = history.sources.get(marker)?.postbackUrl ?? null;
    for (const { generation, outcome } of generations) {
      const name = `${id} (${marker}), generation ${generation}, ${outcome}`;
      // A request for a commit that a failover lost belongs to another end.
      const got = (byEnd.get(`${id} ${generation}`) ?? []).filter(({ request }) => !isOfLostCommit(history, request));
      if (outcome === 'SUPERSEDED' || url === null) {
        if (got.length > 0) violations.push(`${name}: ${got.length} requests, expected none`);
        continue;
      }
      const row = rows.get(`${id} ${generation}`);
      const ids = new Set(got.map(({ request }) => request.headers['webhook-id']));
      const all = byEnd.get(`${id} ${generation}`) ?? [];
      if (all.length === 0) violations.push(`${name}: no request (row: ${row?.state ?? 'none'} ${row?.reason ?? ''})`);
      // Any request, not the last: a worker that was paused before sending may send after the successful one.
      else if (!all.some(({ request }) => request.responseStatus === 200))
        violations.push(
          `${name}: ${all.length} requests, all failed: ${all.map(({ request }) => request.responseStatus)}`,
        );
      if (row?.state !== 'delivered') violations.push(`${name}: its postback is ${row?.state} (${row?.reason})`);
      if (ids.size > 1) violations.push(`${name}: several webhook-ids: ${[...ids].join(' and ')}`);
      const wrong = got.find(({ message, request }) => {
        const isSame = message?.data.status === outcome && message?.data.name === marker;
        return !isSame || message?.type !== `source.${outcome?.toLowerCase()}` || request.marker !== marker;
      });
      if (wrong !== undefined) violations.push(`${name}: wrong body to ${wrong.request.marker}: ${wrong.request.body}`);
    }
  }
  return [...violations, ...unknownEnds(state, byEnd)];
}

/** A delivery that began before a failover may arrive up to this time after it. */
const LATE_MS = 60_000;

function isOfLostCommit(history: History, { at }: Received): boolean {
  return mayBeLost(history, at - LATE_MS, at);
}

/** Violations for requests about unknown generations; purged sources are not checked. */
function unknownEnds({ history, sources }: FinalState, byEnd: Map<string, { request: Received }[]>): string[] {
  const known = new Map(sources.map(({ id, generations }) => [id, generations]));
  return [...byEnd].flatMap(([end, got]) => {
    const [id = '', generation = ''] = end.split(' ');
    const generations = known.get(id);
    const isKnown = generations === undefined || generations.some((one) => one.generation === Number(generation));
    const isLost = got.every(({ request }) => isOfLostCommit(history, request));
    return isKnown || isLost ? [] : [`${end}: ${got.length} requests for an unknown generation`];
  });
}

/** All requests with one webhook-id have the same body, byte for byte, as Standard Webhooks requires. */
export function oneBodyForEachWebhookId({ received }: FinalState): string[] {
  const idsOf = Map.groupBy(received, ({ headers }) => headers['webhook-id']);
  return [...idsOf].flatMap(([webhookId, got]) => {
    const bodies = [...new Set(got.map(({ body }) => body))];
    return bodies.length > 1 ? [`${webhookId} has ${bodies.length} bodies: ${bodies.join(' and ')}`] : [];
  });
}

/** The API shows the newest postback in the source, and lists all of them. */
export function sourcesShowTheirPostbacks({ sources, postbacks }: FinalState): string[] {
  const bySource = Map.groupBy(postbacks, ({ sourceId }) => sourceId);
  return sources.flatMap(({ id, marker, shown, deliveries }) => {
    const own = (bySource.get(id) ?? []).toSorted((a, b) => b.generation - a.generation);
    const newest = own[0];
    const words = (list: readonly { id: string; generation: number; state: string }[]) =>
      list.map((one) => `${one.id} of ${one.generation} ${one.state}`).join(', ') || 'none';
    const isShown = shown?.postback?.id === newest?.id && shown?.postback?.state === newest?.state;
    return [
      ...(isShown ? [] : [`${id} (${marker}) shows ${JSON.stringify(shown?.postback)}, not ${JSON.stringify(newest)}`]),
      ...(words(deliveries) === words(own) ? [] : [`${id} (${marker}) lists ${words(deliveries)}, not ${words(own)}`]),
    ];
  });
}
