/**
 * Takes signed postbacks: verifies each, drops repeats, and prints what it says.
 *
 *   API_KEY=$(cat .data/key) PORT=3000 node examples/receive-postbacks.ts
 *
 * Sources with `instructions: {postback_url: 'http://127.0.0.1:3000/'}` then send theirs here; the service has to run
 * with EGRESS_ALLOW=127.0.0.1:3000, since it reaches private addresses only where it is told to.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { createClient } from '../client/index.ts';

const { API_URL = 'http://127.0.0.1:8080', API_KEY = '', PORT = '3000' } = process.env;
const api = createClient({ url: API_URL, apiKey: API_KEY });
const { secret } = await api.postbacks.secret.query({});
const webhook = new Webhook(secret);
/** The ids that were seen; keep them somewhere safer than here. */
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  // The bytes as they came: the signature covers them.
  const body = await text(request);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  try {
    webhook.verify(body, headers);
  } catch {
    response.writeHead(401).end();
    return;
  }
  const id = headers['webhook-id'] ?? '';
  if (!seen.has(id)) console.log(body);
  seen.add(id);
  response.writeHead(204).end();
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Postbacks are taken on port ${PORT}.`));
