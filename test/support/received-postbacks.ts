/** Postbacks as their receivers got them. */
import { postbackSchema } from '../../contract/postback.ts';
import { received } from './client.ts';

interface ReceivedPostback {
  webhookId: string | undefined;
  generation: number;
  status: string;
  body: string;
}

/**
 * Returns the distinct pairs of webhook-id and body that a path of the test site received, in order of first arrival. A
 * webhook-id with two bodies is returned twice.
 */
export async function distinctPostbacks(path: string): Promise<ReceivedPostback[]> {
  const distinct = new Map<string, ReceivedPostback>();
  for (const { headers, body } of await received(path)) {
    const webhookId = headers['webhook-id'];
    const { data } = postbackSchema.parse(JSON.parse(body));
    distinct.set(`${webhookId} ${body}`, { webhookId, generation: data.generation, status: data.status, body });
  }
  return [...distinct.values()];
}
