/** A newly issued session, rendered as JSON and as the fragment of a redirect. */

import type { User } from '../rows.ts';
import type { JsonObject } from './json.ts';
import { renderUser } from './render-user.ts';

export interface IssuedSession {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly expiresAtSeconds: number;
  readonly refreshToken: string;
  readonly user: User;
}

export function renderSession(session: IssuedSession, extra: JsonObject = {}): JsonObject {
  return {
    access_token: session.accessToken,
    token_type: 'bearer',
    expires_in: session.expiresInSeconds,
    expires_at: session.expiresAtSeconds,
    refresh_token: session.refreshToken,
    user: renderUser(session.user),
    ...extra,
  };
}

/** The fragment of a redirect that passes a session to the browser. */
export function sessionFragment(session: IssuedSession): Record<string, string> {
  return {
    access_token: session.accessToken,
    token_type: 'bearer',
    expires_in: String(session.expiresInSeconds),
    expires_at: String(session.expiresAtSeconds),
    refresh_token: session.refreshToken,
    // Identifies the redirect as ours to clients.
    sb: '',
  };
}
