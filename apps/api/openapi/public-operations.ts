/** What is served beside the procedures, to anybody. */
import { z } from 'zod';
import { refusalReference } from './responses.ts';
import type { SchemaComponents } from './schemas.ts';
import type { Operation, PathItem } from './types.ts';

const healthSchema = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'down'])
      .describe(
        '`degraded`: Temporal or the storage is away; what is sent is accepted and kept. `down`: the database is.',
      ),
    checks: z.record(z.enum(['database', 'temporal', 'storage']), z.enum(['ok', 'down'])),
  })
  .meta({
    id: 'Health',
    description: 'How the service is, and its parts.',
    examples: [{ status: 'ok', checks: { database: 'ok', temporal: 'ok', storage: 'ok' } }],
  });

const named = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** An operation that answers text. */
function textOperation(id: string, summary: string, mediaType: string, description: string): Operation {
  return {
    operationId: id,
    tags: ['service'],
    summary,
    security: [],
    responses: {
      200: { description, headers: named, content: { [mediaType]: { schema: { type: 'string' } } } },
      400: refusalReference(400),
      500: refusalReference(500),
    },
  };
}

/** The paths of health, metrics, files and the documentation. */
export function publicPaths(components: SchemaComponents): Record<string, PathItem> {
  const health = { 'application/json': { schema: components.translate(healthSchema, 'output') } };
  return {
    '/health': {
      get: {
        operationId: 'service.health',
        tags: ['service'],
        summary: 'Ask how the service is',
        security: [],
        responses: {
          200: { description: 'It takes requests.', headers: named, content: health },
          400: refusalReference(400),
          503: { description: 'The database is away.', headers: named, content: health },
        },
      },
    },
    '/metrics': {
      get: textOperation('service.metrics', 'Read the metrics', 'text/plain', 'In the text format of Prometheus.'),
    },
    '/files/{fileKey}': {
      get: {
        operationId: 'service.file',
        tags: ['service'],
        summary: 'Download an uploaded file',
        description: 'The `publicUrl` of an upload grant. Whoever knows the unguessable key may download the file.',
        security: [],
        parameters: [
          {
            name: 'fileKey',
            in: 'path',
            description: 'The key of the grant; its slashes stay as they are.',
            required: true,
            schema: { type: 'string' },
          },
        ],
        responses: {
          302: {
            description: 'Leads to a download that works for a minute.',
            headers: { ...named, Location: { $ref: '#/components/headers/Location' } },
          },
          400: refusalReference(400),
          404: refusalReference(404),
          500: refusalReference(500),
          503: refusalReference(503),
        },
      },
    },
    '/openapi.json': {
      get: {
        ...textOperation('service.openapi', 'Read this document', 'application/json', 'This document.'),
        responses: {
          200: {
            description: 'This document.',
            headers: named,
            content: { 'application/json': { schema: { type: 'object' } } },
          },
          400: refusalReference(400),
          500: refusalReference(500),
        },
      },
    },
  };
}
