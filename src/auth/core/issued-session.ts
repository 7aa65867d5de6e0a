/** A newly issued session. Rendered as a JSON response or as the fragment of a redirect. */

import type { AuthError } from '../errors.ts';
import type { FlowState, User } from '../rows.ts';
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
 * Renders a session after a sign-in with a password. If the current rules would reject the password, the response
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

/** Renders a session after a sign-in with a provider. The response contains the provider's tokens. */
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

/** Returns the fragment of a redirect that passes a session to the browser. */
export function sessionFragment(session: IssuedSession): Record<string, string> {
  return {
    access_token: session.accessToken,
    token_type: 'bearer',
    expires_in: String(session.expiresInSeconds),
    expires_at: String(session.expiresAtSeconds),
    refresh_token: session.refreshToken,
    // This empty parameter marks the redirect as a response from this server.
    sb: '',
  };
}
