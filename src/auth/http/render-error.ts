/**
 * Errors on the wire. Clients that send `X-Supabase-Api-Version: 2024-01-01` or later get `{code, message}`, others the
 * older `{code: STATUS, error_code, msg}`; both get the header `x-sb-error-code`.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../kernel/log.ts';
import { isPostgresError } from '../core/postgres-error.ts';
import { AuthError, authError, OAuthShapedError } from '../errors.ts';
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
  const known = asAway(asAuthError(error));
  if (known.status >= 500 && isFaultyText(known.cause)) {
    return sendError(log, authError('validation_failed', unstorable), request, reply);
  }
  if (known.status >= 500) {
    log.error(
      { requestId: request.id, path: request.url.split('?')[0], error: known.cause ?? known },
      known.message,
    );
  }
  const fallback = known.status === 500 ? 'unexpected_failure' : 'unknown';
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

function asAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AuthError('request_entity_too_large');
  return new AuthError('unexpected_failure', { cause: error });
}

/**
 * 503 where PostgreSQL is away: restarting (57P), not reached (08), without a free connection (53300). GoTrue answers 500,
 * which supabase-js before June 2026 takes for a refusal: a refresh in that moment signed the user out.
 */
function asAway(error: AuthError): AuthError {
  if (error.status !== 500 || !isAway(error.cause)) return error;
  return authError('unexpected_failure', away, { status: 503, cause: error.cause });
}

const away = 'The database cannot be reached; try again in a moment';

const isAway = (error: unknown): boolean =>
  (isPostgresError(error) && /^(08|57P|53300)/.test(error.code)) ||
  (error instanceof Error && isAway(error.cause));

/** Text that PostgreSQL has no place for, as it says of a NUL. Our statements hold none, so the request did. */
const faultyText = new Set(['22021', '22P05']);
const unstorable = 'The request holds text that cannot be stored';

const isFaultyText = (cause: unknown): boolean => isPostgresError(cause) && faultyText.has(cause.code);

/** What triggers and constraints of the project raise is told to older clients as it is. */
const raisedByProject = new Set(['P0001', '23000', '23001', '23502', '23503', '23505', '23514', '23P01']);

function publicPostgresError(cause: unknown): { status: number; body: object } | undefined {
  if (!isPostgresError(cause)) return undefined;
  const custom = /^PT(\d{3})$/.exec(cause.code);
  if (!custom && !raisedByProject.has(cause.code)) return undefined;
  return {
    status: custom ? Number(custom[1]) : 500,
    body: {
      code: cause.code,
      message: cause.message,
      ...(cause.hint ? { hint: cause.hint } : {}),
      ...(cause.detail ? { detail: cause.detail } : {}),
    },
  };
}
