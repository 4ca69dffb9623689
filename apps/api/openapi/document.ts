/** The OpenAPI 3.1 document of the service, generated from its procedures. */
import type { AnyRouter } from '@trpc/server';
import { type RestOperation, restOperations } from '../http/rest.ts';
import { MAX_STORED_BYTES } from '../idempotency.ts';
import { tagOf, toOperation } from './operation.ts';
import { publicPaths } from './public-operations.ts';
import { errorComponents, headers } from './responses.ts';
import { SchemaComponents } from './schemas.ts';
import type { OpenApiDocument, PathItem } from './types.ts';
import { webhooks } from './webhooks.ts';

const description = `
A source is one item of content: pasted text such as an AI conversation, a URL, an uploaded file, or a composition of
other sources. It belongs to a space and is processed by a durable run. The results are a context (Markdown, outline,
chunks) and artifacts such as code, tables and tasks.

**First steps.** Create a space, create a source in it, and wait:
\`GET /v1/sources/{sourceId}?waitSeconds=30&since=<revision>\` responds at its next change and costs one request.

**Keys.** Send \`Authorization: Bearer <API_KEY>\`. A key gives access to everything of its owner. A resource of another
owner is 404, like one that does not exist.

**Responses.** One resource is \`{data}\`; a list is \`{data, nextCursor}\`: send \`nextCursor\` as \`cursor\` with the
same filters for the next page. Times are ISO 8601 in UTC with milliseconds. Treat ids as opaque. Lengths count
Unicode code points.

**Errors.** Every error response is \`{error, message, code, details?, requestId?}\`; \`details\` names the fields.
Unknown fields are rejected, except inside \`instructions\`, \`initial_data\` and \`metadata\`, where they are stored.

**Rate limits.** The requests of all keys of an owner count together, in windows of 60 s. The headers RateLimit-* show
the remaining requests; a 429 has Retry-After.

**Idempotency.** Every POST takes an Idempotency-Key, so that it can be repeated without a second effect. A response of
more than ${MAX_STORED_BYTES / 1024} KiB cannot be stored: the request is then rejected and has no effect. Request less,
or omit the key.

The same routes are served at \`/api/v1\`, and the same procedures to tRPC clients at \`/trpc\`, by their operationId.
`.trim();

const tags: Record<string, string> = {
  spaces: 'Containers of collections and sources.',
  collections: 'Folders of a space, nested up to 32 levels.',
  sources: 'Items of content, processed by durable runs.',
  artifacts: 'Code blocks, tables, links, tasks and more that were found in sources.',
  uploads: 'Presigned URLs to upload files.',
  apiKeys: 'Keys of the API.',
  postbacks: 'Signed HTTP requests that report the end of a generation.',
  tickets: 'Support requests.',
  service: 'Health, metrics, files and this document; without a key.',
};

/** Every operation below /v1, grouped by path. */
function paths(operations: RestOperation[], components: SchemaComponents): Record<string, PathItem> {
  const found: Record<string, PathItem> = {};
  for (const operation of operations) {
    const { method, path } = operation.meta.rest;
    const item = found[`/v1${path}`] ?? {};
    found[`/v1${path}`] = { ...item, [method.toLowerCase()]: toOperation(operation, components) };
  }
  return found;
}

/** The document of the procedures of `router`; `publicUrl` is the server's address. */
export function openApiDocument(router: AnyRouter, publicUrl: string): OpenApiDocument {
  const operations = restOperations(router);
  const components = new SchemaComponents();
  const responses = errorComponents(components);
  const nouns = new Set([...operations.map(tagOf), 'service']);
  return {
    openapi: '3.1.1',
    info: { title: 'Context workspace', version: '1', description },
    servers: [{ url: publicUrl, description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: [...nouns].map((name) => ({ name, description: tags[name] ?? name })),
    paths: { ...paths(operations, components), ...publicPaths(components) },
    webhooks: webhooks(components),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `cws_...`.' } },
      headers,
      responses,
      schemas: components.schemas,
    },
  };
}
