/** Renders the tokens that the OAuth server has issued. */

import type { JsonObject } from '../common/json.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';

export interface GrantedTokens {
  readonly session: IssuedSession;
  /** The ID token, or undefined if the scope doesn't include `openid`. */
  readonly idToken?: string | undefined;
}

/** Returns the token response (RFC 6749 section 5.1). OAuth clients don't receive the user object. */
export function renderTokens({ session, idToken }: GrantedTokens): JsonObject {
  return {
    access_token: session.accessToken,
    expires_in: session.expiresInSeconds,
    ...(idToken === undefined ? {} : { id_token: idToken }),
    refresh_token: session.refreshToken,
    token_type: 'bearer',
  };
}
