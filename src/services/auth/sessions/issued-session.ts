/** Renders a newly issued session as JSON or as the fragment of a redirect URL. */

import type { JsonObject } from '../common/json.ts';
import { renderUser } from '../common/render-user.ts';
import type { FlowState, User } from '../common/rows.ts';
import type { AuthError } from '../errors.ts';

export interface IssuedSession {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly expiresAtSeconds: number;
  readonly refreshToken: string;
  readonly user: User;
}

export function renderSession(session: IssuedSession): JsonObject {
  return {
    access_token: session.accessToken,
    token_type: 'bearer',
    expires_in: session.expiresInSeconds,
    expires_at: session.expiresAtSeconds,
    refresh_token: session.refreshToken,
    user: renderUser(session.user),
  };
}

/**
 * Renders a session after a password sign-in. If the password doesn't meet the current password rules, the response
 * contains the reasons.
 */
export function renderPasswordSession({
  session,
  weakness,
}: {
  readonly session: IssuedSession;
  readonly weakness: AuthError | undefined;
}): JsonObject {
  if (!weakness) return renderSession(session);
  const reasons = [...(weakness.weakPasswordReasons ?? [])];
  return { ...renderSession(session), weak_password: { message: weakness.message, reasons } };
}

/** Renders a session after a provider sign-in, including the provider's tokens. */
export function renderFlowSession({
  session,
  flow,
}: {
  readonly session: IssuedSession;
  readonly flow: Pick<FlowState, 'provider_access_token' | 'provider_refresh_token'>;
}): JsonObject {
  return {
    ...renderSession(session),
    ...(flow.provider_access_token ? { provider_token: flow.provider_access_token } : {}),
    ...(flow.provider_refresh_token ? { provider_refresh_token: flow.provider_refresh_token } : {}),
  };
}

/** Returns the fragment of the redirect URL that passes a session to the browser. */
export function sessionFragment(session: IssuedSession): Record<string, string> {
  return {
    access_token: session.accessToken,
    token_type: 'bearer',
    expires_in: String(session.expiresInSeconds),
    expires_at: String(session.expiresAtSeconds),
    refresh_token: session.refreshToken,
    // An empty parameter that identifies the redirect as a response from this server.
    sb: '',
  };
}
