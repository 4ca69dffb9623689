/** The OpenAPI 3.1 document of the service, made from the procedures that it serves. */
import type { AnyRouter } from '@trpc/server';
import { type RestOperation, restOperations } from '../http/rest.ts';
import { MAX_KEPT_BYTES } from '../idempotency.ts';
import { tagOf, toOperation } from './operation.ts';
import { publicPaths } from './public-operations.ts';
import { headers, refusalComponents } from './responses.ts';
import { SchemaComponents } from './schemas.ts';
import type { OpenApiDocument, PathItem } from './types.ts';

const description = `
A source is one item of content: pasted text such as an AI conversation, a URL, an uploaded file, or a composition of
others. It lies in a space, is processed by a durable run, and ends with a context (Markdown, outline, chunks) and with
artifacts such as code, tables and tasks.

**First steps.** Create a space, create a source in it, and wait:
\`GET /v1/sources/{sourceId}?waitSeconds=30&since=<revision>\` answers at its next change and costs one request.

**Keys.** Send \`Authorization: Bearer <API_KEY>\`. A key opens everything of its owner; what is somebody else's is
answered like what is not there.

**Answers.** One resource comes as \`{data}\`; a list as \`{data, nextCursor}\`: send \`nextCursor\` as \`cursor\` with
the same filters for the next page. Times are ISO 8601 in UTC with milliseconds. Treat ids as opaque. Lengths count
Unicode code points.

**Refusals.** All of them are \`{error, message, code, details?, requestId?}\`; \`details\` names the fields. Unknown
fields are refused, except inside \`instructions\`, \`initial_data\` and \`metadata\`, where they are kept.

**Limits.** The requests of all keys of an owner count together, in windows of 60 s; the headers RateLimit-* say what is
left, and a 429 says with Retry-After when to come back.

**Repeating.** Every POST takes an Idempotency-Key, so that it can be sent again without being done twice.
Where the answer would have more than ${MAX_KEPT_BYTES / 1024} KiB, nothing is done: ask for less, or send no key.

The same routes are served at \`/api/v1\`, and the same procedures to tRPC clients at \`/trpc\`, by their operationId.
`.trim();

const tags: Record<string, string> = {
  spaces: 'What holds collections and sources.',
  collections: 'Folders of a space, nested up to 32 levels.',
  sources: 'Items of content, processed by durable runs.',
  artifacts: 'What was found in sources: code, tables, links, tasks and more.',
  uploads: 'Files on their way into storage.',
  apiKeys: 'Keys that open the API.',
  postbacks: 'Signed HTTP requests that tell how a source ended.',
  tickets: 'Questions to the support.',
  service: 'The service itself; open to anybody.',
};

/** Every operation below /v1, those of one path together. */
function paths(operations: RestOperation[], components: SchemaComponents): Record<string, PathItem> {
  const found: Record<string, PathItem> = {};
  for (const operation of operations) {
    const { method, path } = operation.meta.rest;
    const item = found[`/v1${path}`] ?? {};
    found[`/v1${path}`] = { ...item, [method.toLowerCase()]: toOperation(operation, components) };
  }
  return found;
}

/** The document of `router`'s procedures, served at `publicUrl`. */
export function openApiDocument(router: AnyRouter, publicUrl: string): OpenApiDocument {
  const operations = restOperations(router);
  const components = new SchemaComponents();
  const responses = refusalComponents(components);
  const nouns = new Set([...operations.map(tagOf), 'service']);
  return {
    openapi: '3.1.1',
    info: { title: 'Context workspace', version: '1', description },
    servers: [{ url: publicUrl, description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: [...nouns].map((name) => ({ name, description: tags[name] ?? name })),
    paths: { ...paths(operations, components), ...publicPaths(components) },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `cws_...`.' } },
      headers,
      responses,
      schemas: components.schemas,
    },
  };
}
