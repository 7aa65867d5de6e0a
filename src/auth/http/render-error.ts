/**
 * Error responses. Clients that send `X-Supabase-Api-Version: 2024-01-01` or later get `{code, message}`. Other clients
 * get the older `{code: STATUS, error_code, msg}`. Both get the header `x-sb-error-code`.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../kernel/log.ts';
import { OAuthShapedError } from '../errors.ts';
import { fallbackCode, publicError, publicPostgresError } from '../public-errors.ts';
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
  if (error instanceof OAuthShapedError) {
    return reply.code(400).send({ error: error.error, error_description: error.description });
  }
  const known = publicError(error);
  if (known.status >= 500) {
    log.error(
      { requestId: request.id, path: request.url.split('?')[0], error: known.cause ?? known },
      known.message,
    );
  }
  const fallback = fallbackCode(known);
  if (known.code !== undefined) reply.header('x-sb-error-code', known.code);
  const weakPassword = known.weakPasswordReasons && { weak_password: { reasons: known.weakPasswordReasons } };
  if (wantsCodes) {
    return reply
      .code(known.status)
      .send({ code: known.code ?? fallback, message: known.message, ...weakPassword });
  }
  const postgres = publicPostgresError(known.cause);
  if (postgres) return reply.code(postgres.status).send(postgres.body);
  return reply.code(known.status).send({
    code: known.status,
    error_code: known.code ?? fallback,
    msg: known.message,
    ...(known.status >= 500 ? { error_id: request.id } : {}),
    ...weakPassword,
  });
}

function isVersion(text: string | undefined): boolean {
  return (
    text !== undefined &&
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    text >= codesVersion
  );
}
