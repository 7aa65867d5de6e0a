/**
 * Restricts a port to requests from the port's own pages. The Console's port uses this restriction. Browsers let any
 * website send requests to the port, even under the website's own host name (DNS rebinding), and treat all ports of a
 * host as the same site. Therefore, headers that only the browser can set are checked before any route handles the
 * request.
 */
import type { FastifyInstance } from 'fastify';
import { foreignOf, type OwnAddress } from '../../base/kernel/request-origin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route is a page without secrets or side effects. Other websites are allowed to link to such a page.
     */
    isPage?: boolean;
  }
}

const rejections = {
  // The status is 421 Misdirected Request (RFC 9110, section 15.5.20).
  name: {
    status: 421,
    code: 'wrong_host',
    message:
      "This port doesn't serve this host name. Use localhost, 127.0.0.1 or the host of [console] url in plinth.toml.",
  },
  page: {
    status: 403,
    code: 'foreign_page',
    message: 'This port rejects requests from other websites.',
  },
} as const;

/** Headers that are added to every response, including hijacked responses. A service can override these headers. */
const protection = [
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'same-origin'],
  ['x-content-type-options', 'nosniff'],
].flat();

export function guardOrigin(app: FastifyInstance, own: OwnAddress): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.gatewayHeaders?.push(...protection);
    const foreign = foreignOf(request.raw, own, request.routeOptions.config.isPage === true);
    if (foreign === undefined) return done();
    const { status, code, message } = rejections[foreign];
    reply.code(status).header('cache-control', 'no-store').send({ code, message, requestId: request.id });
  });
}
