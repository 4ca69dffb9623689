import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Evidence } from '../evidence.ts';

const bodySchema = z.object({ type: z.string(), data: z.object({ id: z.string(), generation: z.int() }) });

type Received = Evidence['received'][number];

/** The signature was good when it came: the storm may have been longer than a receiver's tolerance. */
function isSigned({ body, headers, secret, at }: Received): boolean {
  const sent = Number(headers['webhook-timestamp']) * 1_000;
  if (Math.abs(at - sent) > 60_000) return false;
  const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(sent), body);
  return (headers['webhook-signature'] ?? '').split(' ').includes(expected);
}

/** Judged by what the receivers got. */
export function onePostbackForEachEnd({ ledger, sources, received, postbacks }: Evidence): string[] {
  const violations: string[] = [];
  const messages = received.map((request) => ({
    request,
    message: bodySchema.safeParse(JSON.parse(request.body)).data,
  }));
  for (const { request, message } of messages) {
    if (message === undefined) violations.push(`a body sent to ${request.marker} is no postback: ${request.body}`);
    if (!isSigned(request)) violations.push(`a request to ${request.marker} (${message?.data.id}) is not signed well`);
  }
  const byEnd = Map.groupBy(messages, ({ message }) => `${message?.data.id} ${message?.data.generation}`);
  const rows = new Map(postbacks.map((row) => [`${row.sourceId} ${row.generation}`, row]));
  for (const { id, marker, generations } of sources) {
    const url = ledger.sources.get(marker)?.postbackUrl ?? null;
    for (const { generation, outcome } of generations) {
      const name = `${id} (${marker}), generation ${generation}, ${outcome}`;
      const got = byEnd.get(`${id} ${generation}`) ?? [];
      byEnd.delete(`${id} ${generation}`);
      if (outcome === 'SUPERSEDED' || url === null) {
        if (got.length > 0) violations.push(`${name}: ${got.length} requests came that nobody owed`);
        continue;
      }
      const row = rows.get(`${id} ${generation}`);
      const ids = new Set(got.map(({ request }) => request.headers['webhook-id']));
      if (got.length === 0)
        violations.push(`${name}: none came (its row: ${row?.state ?? 'none'} ${row?.reason ?? ''})`);
      // Not the last one: a worker that was paused before it sent may come after the answer that counted.
      else if (!got.some(({ request }) => request.answered === 200))
        violations.push(
          `${name}: the ${got.length} that came were answered ${got.map(({ request }) => request.answered)}`,
        );
      if (ids.size > 1) violations.push(`${name}: came with ${[...ids].join(' and ')}`);
      const wrong = got.find(({ message, request }) => {
        return message?.type !== `source.${outcome?.toLowerCase()}` || request.marker !== marker;
      });
      if (wrong !== undefined) violations.push(`${name}: told as ${wrong.message?.type} to ${wrong.request.marker}`);
    }
  }
  for (const [end, got] of byEnd) violations.push(`${end}: ${got.length} requests, and there is no such generation`);
  const idsOf = Map.groupBy(messages, ({ request }) => request.headers['webhook-id']);
  for (const [webhookId, got] of idsOf) {
    const about = new Set(got.map(({ message }) => `${message?.data.id} ${message?.data.generation}`));
    if (about.size > 1) violations.push(`${webhookId} told of ${[...about].join(' and ')}`);
  }
  return violations;
}
