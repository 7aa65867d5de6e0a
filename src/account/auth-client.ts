/** Runs the auth service's operations on behalf of a browser. */
import type { FastifyRequest } from 'fastify';
import type { PageClient, SelfService, UserOperations, VisitorOperations } from '../auth/index.ts';
import { keepLoopbackName } from '../kernel/request-origin.ts';
import { cameFrom, withWait } from './core/confirm.ts';
import { chooseLanguage, languageCookie } from './core/languages.ts';
import { deviceIdOf } from './device.ts';
import { cookieOf } from './request-cookies.ts';

export type { AuthUser, TokenPair } from '../auth/index.ts';

/**
 * The client that auth is called for. Its IP address and browser appear in the session list and the audit log, and its
 * requests count toward rate limits.
 */
export type Caller = Pick<FastifyRequest, 'id' | 'ip' | 'headers' | 'host' | 'protocol'>;

/**
 * Runs auth's operations on behalf of browsers. Every operation rejects with an `AuthRejection` if auth reports an
 * error.
 */
export interface AuthClient {
  /**
   * Returns the operations that don't require a session, for any browser. `wait` identifies the window that is waiting
   * for the link in the email to be opened (`waiting-windows.ts`).
   */
  visitor(caller: Caller, wait?: string): VisitorOperations;
  /** Returns the operations that a signed-in user can run. They run with the session's access token. */
  user(caller: Caller, session: { readonly tokens: { readonly access_token: string } }): UserOperations;
}

export function createAuthClient(deps: {
  readonly selfService: Pick<SelfService, 'visitor' | 'user'>;
  readonly accountUrl: () => string;
  /** The project's languages. The default language is first. */
  readonly languages: () => readonly string[];
}): AuthClient {
  const clientOf = (caller: Caller, wait?: string): PageClient => {
    const { id, ip, headers, host } = caller;
    const accountUrl = keepLoopbackName(deps.accountUrl(), host);
    // Links in emails return the user to our pages.
    const page = cameFrom(headers.referer, host, accountUrl);
    return {
      requestId: id,
      ip,
      userAgent: headers['user-agent'],
      deviceId: deviceIdOf(caller),
      host,
      language: chooseLanguage(
        { requested: null, kept: cookieOf(caller, languageCookie), accepted: headers['accept-language'] },
        deps.languages(),
      ),
      redirectTo: wait === undefined ? page : withWait(page ?? `${accountUrl}/sign-in`, wait),
    };
  };
  return {
    visitor: (caller, wait) => deps.selfService.visitor(clientOf(caller, wait)),
    user: (caller, { tokens }) => deps.selfService.user(clientOf(caller), tokens.access_token),
  };
}
