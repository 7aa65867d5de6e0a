/** Converts thrown values to errors that clients may see, in a response or in the parameters of a redirect. */
import type { Logger } from '../../../base/kernel/log.ts';
import type { OverloadBody } from '../../../base/kernel/service.ts';
import { isPostgresError, retryAfterOf } from '../../../base/shared/errors.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, type ErrorCode, OAuthShapedError } from '../errors.ts';
import type { JsonObject } from './json.ts';

/** Converts any thrown value to an error from the table of public errors. `cause` contains the details for the log. */
export function publicError(error: unknown): AuthError {
  const known = asViolation(asAway(asAuthError(error)));
  return known.status >= 500 && isFaultyText(known.cause)
    ? authError('validation_failed', unstorable)
    : known;
}

/**
 * Returns an error response's status and body in GoTrue's older format, or in OAuth's format for {@link
 * OAuthShapedError}.
 */
export function errorResponse(error: unknown, requestId: string): { status: number; body: JsonObject } {
  if (error instanceof OAuthShapedError) {
    return { status: error.status, body: { error: error.error, error_description: error.description } };
  }
  const known = publicError(error);
  const postgres = publicPostgresError(known);
  if (postgres) return { status: postgres.status, body: { ...postgres.body } };
  return {
    status: known.status,
    body: {
      code: known.status,
      error_code: known.code ?? fallbackCode(known),
      msg: known.message,
      ...(known.status >= 500 ? { error_id: requestId } : {}),
      ...weakPasswordOf(known),
    },
  };
}

export function weakPasswordOf({ weakPasswordReasons: reasons }: AuthError): JsonObject {
  return reasons === undefined ? {} : { weak_password: { reasons: [...reasons] } };
}

export function logUnexpected(log: Logger, error: unknown, requestId: string, path: string): void {
  if (error instanceof OAuthShapedError) return;
  logInternal(log, publicError(error), { requestId, path });
}

/**
 * Logs an error that isn't the client's fault. An error that the project's own SQL raised is a warning, because Plinth
 * has no fault. Requests that were rejected because of overload are counted instead of logged.
 */
export function logInternal(log: Logger, error: AuthError, fields: Readonly<Record<string, unknown>>): void {
  if (error.status < 500 || retryAfterOf(error) !== undefined) return;
  const raised = publicPostgresError(error);
  if (raised === undefined) log.error({ ...fields, error: error.cause ?? error }, error.message);
  else {
    const { code } = raised.body;
    log.warn({ ...fields, code, error: error.cause }, "a trigger or constraint of the project's SQL failed");
  }
}

/** Returns the error code to send for an error without a code. */
export const fallbackCode = ({ status }: AuthError): string =>
  status === 500 ? 'unexpected_failure' : 'unknown';

function asAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AuthError('request_entity_too_large');
  return new AuthError('unexpected_failure', { cause: error });
}

/**
 * Changes the error's status to 503 if too many requests are waiting, or if PostgreSQL is restarting (SQLSTATE 57P),
 * unreachable (08), out of connections (53300) or read-only. GoTrue returns status 500, but versions of supabase-js
 * from before June 2026 treat this status as a rejected refresh and sign the user out.
 */
function asAway(error: AuthError): AuthError {
  if (error.status !== 500) return error;
  const { cause } = error;
  if (retryAfterOf(cause) !== undefined)
    return authError('unexpected_failure', overloaded, { status: 503, cause });
  if (isAway(cause)) return authError('unexpected_failure', away, { status: 503, cause });
  return isReadOnly(cause) ? authError('unexpected_failure', readOnly, { status: 503, cause }) : error;
}

/** Replaces an internal error that a violated constraint of a table in `auth` caused. */
const asViolation = (error: AuthError): AuthError =>
  error.status === 500 ? (constraintError(error.cause) ?? error) : error;

const overloaded = 'Too many requests are waiting. Try again in a moment';

/** The response to requests that are rejected because the server is overloaded, in GoTrue's older format. */
export const overloadedBody: OverloadBody = {
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ code: 503, error_code: 'unexpected_failure', msg: overloaded }),
};

const away = "The database can't be reached. Try again in a moment";

/** Whether the error means that the database is read-only, because the server is a standby or the disk is full. */
const isReadOnly = (error: unknown): boolean =>
  (isPostgresError(error) && error.code === '25006') || (error instanceof Error && isReadOnly(error.cause));

const readOnly = 'The database is read-only at the moment. Try again later';

const isAway = (error: unknown): boolean =>
  (isPostgresError(error) && /^(08|57P|53300)/.test(error.code)) ||
  (error instanceof Error && isAway(error.cause));

/**
 * The SQLSTATEs for text that PostgreSQL can't store, such as NUL characters. Plinth's statements don't contain such
 * text, so the text comes from the request.
 */
const faultyText = new Set(['22021', '22P05']);

const unstorable = "The request contains text that can't be stored";

const isFaultyText = (cause: unknown): boolean => isPostgresError(cause) && faultyText.has(cause.code);

/**
 * The SQLSTATEs raised by a project's triggers and constraints. Constraints of the tables in `auth` have their own
 * errors (`constraintError`). Responses in GoTrue's older format contain the text of these errors
 * unchanged.
 */
const raisedByProject = new Set(['P0001', '23000', '23001', '23502', '23503', '23505', '23514', '23P01']);

interface PostgresErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: string;
}

/** Returns the response to an internal error that one of the project's triggers or constraints caused. */
export function publicPostgresError({
  status,
  cause,
}: AuthError): { status: number; body: PostgresErrorBody } | undefined {
  if (status !== 500 || !isPostgresError(cause)) return undefined;
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

// Most violations of the constraints in `auth` result from two concurrent requests, because the use cases check the same
// conditions first. The text of such an error from PostgreSQL contains values of another account's row, so clients must
// not receive it.

/** The errors for duplicate keys, by constraint or unique index. */
const duplicates: Readonly<Record<string, ErrorCode>> = {
  users_pkey: 'user_already_exists',
  users_email_partial_key: 'email_exists',
  users_phone_key: 'phone_exists',
  identities_provider_id_provider_unique: 'identity_already_exists',
  mfa_factors_user_friendly_name_unique: 'mfa_factor_name_conflict',
  unique_phone_factor_per_user: 'mfa_verified_factor_exists',
  webauthn_credentials_credential_id_key: 'webauthn_credential_exists',
  saml_providers_entity_id_key: 'saml_idp_already_exists',
  sso_domains_domain_idx: 'sso_domain_already_exists',
};

/** The errors for references to rows that a concurrent request has deleted, by the referencing column. */
const missing: readonly (readonly [column: string, code: ErrorCode])[] = [
  ['user_id', 'user_not_found'],
  ['session_id', 'session_not_found'],
  ['auth_factor_id', 'mfa_factor_not_found'],
  ['client_id', 'oauth_client_not_found'],
  ['sso_provider_id', 'sso_provider_not_found'],
  ['flow_state_id', 'flow_state_not_found'],
];

/** Returns the error for a violated constraint of a table in `auth`, or undefined if the cause is something else. */
export function constraintError(cause: unknown): AuthError | undefined {
  if (!isPostgresError(cause)) {
    return cause instanceof Error ? constraintError(cause.cause) : undefined;
  }
  const { code, schema, constraint = '' } = cause;
  if (schema !== 'auth') return undefined;
  switch (code) {
    case '23505':
      return authError(duplicates[constraint] ?? 'conflict', undefined, { cause });
    case '23503': {
      const column = missing.find(([name]) => constraint.endsWith(`_${name}_fkey`));
      return authError(column?.[1] ?? 'conflict', undefined, { cause });
    }
    case '23514':
      return authError('validation_failed', 'A value in the request has an invalid length or format', {
        cause,
      });
    default:
      return undefined;
  }
}

/** The `error` parameter of redirects (RFC 6749, section 4.1.2.1), by status. */
export const errorKinds: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** Error codes that are rendered as `access_denied`, regardless of the error's status. */
const deniedCodes = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/** Converts any thrown value to an error that clients may see, and logs internal errors. */
export function logged(ctx: AuthContext, path: string, thrown: unknown): AuthError {
  const error = publicError(thrown);
  logInternal(ctx.log, error, { path });
  return error;
}

/**
 * Returns the redirect parameters for an error. For an internal error, logs the error and returns a generic message.
 */
export function errorParams(ctx: AuthContext, path: string, thrown: unknown): Record<string, string> {
  if (thrown instanceof OAuthShapedError) {
    return { error: thrown.error, error_description: thrown.description };
  }
  const error = logged(ctx, path, thrown);
  const isDenied = deniedCodes.has(error.code ?? '');
  return {
    error: isDenied ? 'access_denied' : (errorKinds[error.status] ?? 'server_error'),
    error_code: error.code ?? '',
    error_description: error.message,
  };
}
