/** GET /openapi.json and the pages at /docs with their script. */
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { appRouter } from '../routers/index.ts';
import { openApiDocument } from './document.ts';

/** Scalar's page has its settings in an inline script, and inline styles. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Registers both on `app`, without authentication. */
export async function registerDocumentation(app: FastifyInstance, publicUrl: string): Promise<void> {
  // Built once: it depends on the code only.
  const document = JSON.stringify(openApiDocument(appRouter, publicUrl));
  app.get('/openapi.json', async (_, reply) =>
    reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*').send(document),
  );
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_, reply) => {
      reply.header('content-security-policy', contentSecurityPolicy);
    });
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Context workspace API',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        // No buttons that link to other services.
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
