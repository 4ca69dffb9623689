/**
 * Receives signed postbacks: verifies each, drops duplicates, and prints the content.
 *
 *   API_KEY=$(cat .data/key) PORT=3000 node examples/receive-postbacks.ts
 *
 * Sources with `instructions: {postback_url: 'http://127.0.0.1:3000/'}` send theirs here. The service must run with
 * EGRESS_ALLOW=127.0.0.1:3000, since it connects only to the private addresses listed there.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { createClient, type Postback } from '../client/index.ts';

const { API_URL = 'http://127.0.0.1:8080', API_KEY = '', PORT = '3000' } = process.env;
const api = createClient({ url: API_URL, apiKey: API_KEY });
const { secret } = await api.postbacks.secret.query({});
const webhook = new Webhook(secret);
/** Ids received so far; in production keep them in a database. */
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  // The unparsed body, which the signature covers.
  const body = await text(request);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  try {
    webhook.verify(body, headers);
  } catch {
    response.writeHead(401).end();
    return;
  }
  const id = headers['webhook-id'] ?? '';
  if (!seen.has(id)) {
    // A verified body is what the API's document describes under `webhooks`.
    const { type, data }: Postback = JSON.parse(body);
    console.log(`${type} ${data.id} generation ${data.generation}${data.error ? ` ${data.error.code}` : ''}`);
  }
  seen.add(id);
  response.writeHead(204).end();
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening for postbacks on port ${PORT}.`));
