/** Renders an error as redirect parameters (RFC 6749, section 4.1.2.1). */
import type { AuthContext } from '../context.ts';
import { type AuthError, OAuthShapedError } from '../errors.ts';
import { publicError } from './public-errors.ts';

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
  if (error.status >= 500) ctx.log.error({ path, error: error.cause ?? error }, error.message);
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
