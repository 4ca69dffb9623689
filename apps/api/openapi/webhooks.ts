/** Postbacks as the `webhooks` of the document: requests that the service sends. */
import { postbackSchema } from '../../../contract/postback.ts';
import type { SchemaComponents } from './schemas.ts';
import type { Parameter, PathItem } from './types.ts';

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  description,
  required: true,
  schema: { type: 'string', examples: [example] },
});

/** The headers of Standard Webhooks (https://www.standardwebhooks.com). */
const parameters: Parameter[] = [
  header(
    'webhook-id',
    'The same on every attempt and redelivery: use it to drop duplicates.',
    '019a5f40-24aa-7f02-a0b6-5c9e1d3f8a90',
  ),
  header('webhook-timestamp', 'When the attempt was made, in seconds since 1970.', '1772442903'),
  header(
    'webhook-signature',
    'HMAC-SHA256 of id, timestamp and body, as `v1,<base64>`; two of them, separated by a space, for 24 h after a rotation of the secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

export function webhooks(components: SchemaComponents): Record<string, PathItem> {
  const schema = components.translate(postbackSchema, 'output');
  return {
    postback: {
      post: {
        operationId: 'postback',
        tags: ['postbacks'],
        summary: 'Report the end of a generation',
        description:
          'Sent to `instructions.postback_url` when a generation has ended COMPLETED, FAILED or CANCELED. Verify the signature with the postback secret.',
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: components.exampleOf(schema) } },
        },
        responses: {
          '2XX': { description: 'Delivered. The response must arrive within 15 s; redirects are not followed.' },
          '410': { description: 'Gone: no further postbacks of this source are sent to this URL.' },
          default: { description: 'Failed: sent again later, not before Retry-After.' },
        },
      },
    },
  };
}
