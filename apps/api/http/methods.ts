/** 405 with Allow for a known path and another method; without it that would be a 404. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { methodNotAllowed } from '../errors.ts';

/** Notes the methods of every route that is registered from now on, by path. */
export function noteMethods(app: FastifyInstance): Map<string, Set<string>> {
  const allowed = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = allowed.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    allowed.set(url, methods);
  });
  return allowed;
}

/** Answers every other method of these paths. */
export function refuseOtherMethods(app: FastifyInstance, allowed: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, methods] of [...allowed]) {
    const allow = [...methods].sort().join(', ');
    app.route({
      method: app.supportedMethods.filter((method): method is HTTPMethods => !methods.has(method)),
      url,
      // Before the body is read, whatever its type.
      onRequest: async (request) => {
        throw methodNotAllowed(request.method, allow);
      },
      handler: async () => undefined,
    });
  }
}
