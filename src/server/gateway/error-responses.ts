/** The responses to requests for unknown paths and to errors that services haven't handled. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount } from '../../base/kernel/service.ts';
import { isPreflight, openHeaders, sendPreflight } from './cors.ts';
import { findMount, pathOf } from './paths.ts';
import type { GatewayOptions } from './types.ts';

/**
 * The router finds no route for the preflight request of a path that only has routes for other methods, so the hooks of
 * the mount don't run.
 */
export function respondToUnknownPaths(
  app: FastifyInstance,
  mounts: readonly Mount[],
  { hint }: Pick<GatewayOptions, 'hint'>,
): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const mount = findMount(mounts, path);
    if (mount?.cors === 'open') {
      if (isPreflight(request.raw)) {
        sendPreflight(request, reply);
        return;
      }
      reply.gatewayHeaders?.push(...openHeaders(mount));
    }
    const advice = hint?.(path);
    const message = `Nothing is served at ${path}${advice === undefined ? '' : `. ${advice}`}`;
    reply.code(404).send({ code: 'not_found', message });
  });
}

export function renderErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, request, reply) => {
    const status = error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : 500;
    if (status >= 500) log.error({ requestId: request.id, error }, 'request failed');
    reply
      .code(status)
      .send(
        status >= 500
          ? { code: 'internal_error', message: 'Internal server error', requestId: request.id }
          : { code: error.code ?? 'bad_request', message: error.message },
      );
  });
}
