/** 405 with Allow for a known path with another method, which would otherwise be 404. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { methodNotAllowed } from '../errors.ts';

/** Records the methods of every route registered afterwards, by path. */
export function recordMethods(app: FastifyInstance): Map<string, Set<string>> {
  const allowed = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = allowed.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    allowed.set(url, methods);
  });
  return allowed;
}

/** Rejects every other method of these paths with 405. */
export function rejectOtherMethods(app: FastifyInstance, allowed: ReadonlyMap<string, ReadonlySet<string>>): void {
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
