/** Runs the auth service's operations on behalf of a browser. */
import type { FastifyRequest } from 'fastify';
import type { PageClient, SelfService, UserOperations, VisitorOperations } from '../auth/index.ts';
import { cameFrom } from './core/confirm.ts';

export type { AuthUser, TokenPair } from '../auth/index.ts';

/**
 * The client on whose behalf auth is called. The session list and the audit log contain its address and browser, and
 * its requests count toward limits.
 */
export type Caller = Pick<FastifyRequest, 'id' | 'ip' | 'headers' | 'host'>;

/**
 * Runs auth's operations on behalf of browsers. Every operation rejects with an `AuthRejection` if auth reports an
 * error.
 */
export interface AuthClient {
  /** Returns the operations that don't require a session, for any browser. */
  visitor(caller: Caller): VisitorOperations;
  /** Returns the operations that a signed-in user can run. They run with the session's access token. */
  user(caller: Caller, session: { readonly tokens: { readonly access_token: string } }): UserOperations;
}

export function createAuthClient(deps: {
  readonly selfService: Pick<SelfService, 'visitor' | 'user'>;
  readonly accountUrl: () => string;
}): AuthClient {
  const clientOf = ({ id, ip, headers, host }: Caller): PageClient => ({
    requestId: id,
    ip,
    userAgent: headers['user-agent'],
    // Links in emails return the user to our pages.
    redirectTo: cameFrom(headers.referer, host, deps.accountUrl()),
  });
  return {
    visitor: (caller) => deps.selfService.visitor(clientOf(caller)),
    user: (caller, { tokens }) => deps.selfService.user(clientOf(caller), tokens.access_token),
  };
}
