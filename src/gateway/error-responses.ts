/** The responses to requests for unknown paths and to errors that services haven't handled. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../kernel/log.ts';
import { pathOf } from './paths.ts';
import type { GatewayOptions } from './types.ts';

export function respondToUnknownPaths(app: FastifyInstance, { hint }: Pick<GatewayOptions, 'hint'>): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
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
