/**
 * Renders error responses. Clients that send `X-Supabase-Api-Version: 2024-01-01` or later receive `{code, message}`.
 * Other clients receive the older format `{code: STATUS, error_code, msg}`. All clients receive the header
 * `x-sb-error-code`.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/kernel/log.ts';
import { retryAfterOf } from '../../../base/shared/errors.ts';
import {
  errorResponse,
  fallbackCode,
  logUnexpected,
  publicError,
  weakPasswordOf,
} from '../common/public-errors.ts';
import { OAuthShapedError } from '../errors.ts';
import { header } from './exchange.ts';

const versionHeader = 'x-supabase-api-version';
const codesVersion = '2024-01-01';

export function sendError(
  log: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const wantsCodes = isVersion(header(request, versionHeader));
  if (wantsCodes) reply.header(versionHeader, codesVersion);
  logUnexpected(log, error, request.id, request.url.split('?', 1)[0] ?? '');
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if (!(error instanceof OAuthShapedError)) {
    const known = publicError(error);
    if (known.code !== undefined) reply.header('x-sb-error-code', known.code);
    if (wantsCodes) {
      const code = known.code ?? fallbackCode(known);
      return reply.code(known.status).send({ code, message: known.message, ...weakPasswordOf(known) });
    }
  }
  const { status, body } = errorResponse(error, request.id);
  return reply.code(status).send(body);
}

function isVersion(text: string | undefined): boolean {
  return (
    text !== undefined &&
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    text >= codesVersion
  );
}

/**
 * Adds the handlers for unknown paths and methods, which respond like chi, the router of GoTrue 2.196. Must be called
 * before routes are declared.
 */
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
