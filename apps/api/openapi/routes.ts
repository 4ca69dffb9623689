/** GET /openapi.json and the pages at /docs, whose script comes from here too. */
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { appRouter } from '../routers/index.ts';
import { openApiDocument } from './document.ts';

/** Scalar's page holds its settings in a script and styles of its own, and draws with inline styles. */
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

/** Registers both on `app`, open to anybody. */
export async function registerDocumentation(app: FastifyInstance, publicUrl: string): Promise<void> {
  // It changes with the code alone.
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
        // Buttons that would lead to other services.
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
