/** Postbacks as their receivers saw them, which is what counts. */
import { z } from 'zod';
import { received } from './client.ts';

const bodySchema = z.object({ data: z.object({ generation: z.int(), status: z.string() }) });

interface ReceivedPostback {
  webhookId: string | undefined;
  generation: number;
  status: string;
  body: string;
}

/**
 * What a path of the site received, each webhook-id and body once, in the order of their first arrival. An id that came
 * with two bodies stands there twice.
 */
export async function distinctPostbacks(path: string): Promise<ReceivedPostback[]> {
  const distinct = new Map<string, ReceivedPostback>();
  for (const { headers, body } of await received(path)) {
    const webhookId = headers['webhook-id'];
    const { data } = bodySchema.parse(JSON.parse(body));
    distinct.set(`${webhookId} ${body}`, { webhookId, generation: data.generation, status: data.status, body });
  }
  return [...distinct.values()];
}
