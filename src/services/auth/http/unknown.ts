/** Responds to unknown paths and methods like chi, the router of GoTrue 2.196. */
import type { FastifyInstance } from 'fastify';

/** Adds the handlers. Must be called before routes are defined. */
export function respondToUnknownRoutes(app: FastifyInstance): void {
  const known: { readonly pattern: RegExp; readonly method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const path = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+');
    for (const one of [method].flat()) known.push({ pattern: new RegExp(`^${path}$`), method: one });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (allowed.length > 0) return reply.code(405).header('allow', allowed.join(', ')).send();
    return reply.code(404).type('text/plain; charset=utf-8').send('404 page not found\n');
  });
}
