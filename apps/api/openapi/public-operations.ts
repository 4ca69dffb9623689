/** Public operations beside the procedures: health, metrics, files and the document. */
import { z } from 'zod';
import { errorReference } from './responses.ts';
import type { SchemaComponents } from './schemas.ts';
import type { Operation, PathItem } from './types.ts';

const healthSchema = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'down'])
      .describe(
        '`degraded`: without Temporal or storage; requests are accepted and stored. `down`: without the database.',
      ),
    checks: z.record(z.enum(['database', 'temporal', 'storage']), z.enum(['ok', 'down'])),
  })
  .meta({
    id: 'Health',
    description: 'Status of the service and its dependencies.',
    examples: [{ status: 'ok', checks: { database: 'ok', temporal: 'ok', storage: 'ok' } }],
  });

const named = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** An operation with a text response. */
function textOperation(id: string, summary: string, mediaType: string, description: string): Operation {
  return {
    operationId: id,
    tags: ['service'],
    summary,
    security: [],
    responses: {
      200: { description, headers: named, content: { [mediaType]: { schema: { type: 'string' } } } },
      400: errorReference(400),
      500: errorReference(500),
    },
  };
}

/** The paths of health, metrics, files and the document. */
export function publicPaths(components: SchemaComponents): Record<string, PathItem> {
  const health = { 'application/json': { schema: components.translate(healthSchema, 'output') } };
  return {
    '/health': {
      get: {
        operationId: 'service.health',
        tags: ['service'],
        summary: 'Check the health of the service',
        security: [],
        responses: {
          200: { description: 'The service accepts requests.', headers: named, content: health },
          400: errorReference(400),
          503: { description: 'The database is unavailable.', headers: named, content: health },
        },
      },
    },
    '/metrics': {
      get: textOperation('service.metrics', 'Read the metrics', 'text/plain', 'Metrics in the Prometheus text format.'),
    },
    '/files/{fileKey}': {
      get: {
        operationId: 'service.file',
        tags: ['service'],
        summary: 'Download an uploaded file',
        description: 'The `publicUrl` of an upload grant. The unguessable key is the only authorization.',
        security: [],
        parameters: [
          {
            name: 'fileKey',
            in: 'path',
            description: 'The `fileKey` of the grant, with its slashes not escaped.',
            required: true,
            schema: { type: 'string' },
          },
        ],
        responses: {
          302: {
            description: 'Redirect to a download URL that is valid for 60 s.',
            headers: { ...named, Location: { $ref: '#/components/headers/Location' } },
          },
          400: errorReference(400),
          404: errorReference(404),
          500: errorReference(500),
          503: errorReference(503),
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
          400: errorReference(400),
          500: errorReference(500),
        },
      },
    },
  };
}
