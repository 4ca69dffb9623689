/**
 * Processes a file with the typed client: creates a space, an upload and a FILE source, waits by long polls, and prints
 * its context.
 *
 *   API_KEY=$(cat .data/key) node examples/process-file.ts apps/dev/demo/handbook.pdf application/pdf
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError, createClient, idempotencyKey, waitForSource } from '../client/index.ts';

const [file = '', contentType = ''] = process.argv.slice(2);
const { API_URL = 'http://127.0.0.1:8080', API_KEY = '' } = process.env;
const api = createClient({ url: API_URL, apiKey: API_KEY, waitWhenLimited: 120 });

async function upload(): Promise<string> {
  const bytes = await readFile(file);
  const grant = await api.uploads.grant.mutate({ filename: basename(file), contentType, size: bytes.byteLength });
  const sent = await fetch(grant.uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: bytes });
  if (!sent.ok) throw new Error(`The storage responded with ${sent.status}: ${await sent.text()}`);
  return grant.fileKey;
}

try {
  const space = await api.spaces.create.mutate({ name: 'Handbooks' });
  const fileKey = await upload();
  const created = await api.sources.create.mutate(
    { spaceId: space.id, type: 'FILE', initial_data: { data: fileKey }, instructions: {} },
    // The call can be repeated and creates one source.
    idempotencyKey(fileKey),
  );
  const source = await waitForSource(api, created.id);
  console.log(`${source.name}: ${source.status}`);
  const { data } = await api.sources.context.query({ sourceId: source.id });
  console.log(data.chunks[0]?.text);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(`${error.code} ${error.message}`, error.details, error.requestId);
  process.exitCode = 1;
}
