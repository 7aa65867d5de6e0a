/** An error as the parameters of a redirect, for browsers that come back from somebody else (RFC 6749, section 4.1.2.1). */
import type { AuthError } from '../errors.ts';

/** What a user may not do, whatever its status. */
const accessDenied = new Set<string | undefined>([
  'signup_disabled',
  'user_banned',
  'provider_email_needs_verification',
]);

const byStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

export function errorParams(error: AuthError): Record<string, string> {
  return {
    error: accessDenied.has(error.code) ? 'access_denied' : (byStatus[error.status] ?? 'server_error'),
    error_code: error.code ?? '',
    error_description: error.message,
  };
}
