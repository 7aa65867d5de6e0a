/** Runs the auth service's operations on behalf of a browser. */
import type { FastifyRequest } from 'fastify';
import type { PageClient, SelfService, UserOperations, VisitorOperations } from '../auth/index.ts';
import { keepLoopbackName } from '../kernel/request-origin.ts';
import { cameFrom, withWait } from './core/confirm.ts';
import { chooseLanguage, languageCookie } from './core/languages.ts';
import { deviceIdOf } from './device.ts';
import { cookieOf } from './request-cookies.ts';

export type { AuthUser, TokenPair } from '../auth/index.ts';

/** The client on whose behalf auth is called. */
export type Caller = Pick<FastifyRequest, 'id' | 'ip' | 'headers' | 'host' | 'protocol'>;

/**
 * Runs auth's operations on behalf of browsers. Every operation rejects with an `AuthRejection` if auth returns an
 * error.
 */
export interface AuthClient {
  /**
   * Returns the operations that don't require a session. `wait` identifies the window that is waiting for the user to
   * open the link in an email (`waiting-windows.ts`).
   */
  visitor(caller: Caller, wait?: string): VisitorOperations;
  /** Returns the operations available to a signed-in user. The operations run with the session's access token. */
  user(caller: Caller, session: { readonly tokens: { readonly access_token: string } }): UserOperations;
  /** Returns the language in which the browser displays the pages. */
  languageOf(caller: Caller): string;
}

export function createAuthClient(deps: {
  readonly selfService: Pick<SelfService, 'visitor' | 'user'>;
  readonly accountUrl: () => string;
  /** The project's languages. The default language is first. */
  readonly languages: () => readonly string[];
}): AuthClient {
  const languageOf = (caller: Caller): string =>
    chooseLanguage(
      {
        requested: null,
        kept: cookieOf(caller, languageCookie),
        accepted: caller.headers['accept-language'],
      },
      deps.languages(),
    );
  const clientOf = (caller: Caller, wait?: string): PageClient => {
    const { id, ip, headers, host } = caller;
    const accountUrl = keepLoopbackName(deps.accountUrl(), host);
    // Links in emails lead back to the Account pages.
    const page = cameFrom(headers.referer, host, accountUrl);
    return {
      requestId: id,
      ip,
      userAgent: headers['user-agent'],
      deviceId: deviceIdOf(caller),
      host,
      language: languageOf(caller),
      redirectTo: wait === undefined ? page : withWait(page ?? `${accountUrl}/sign-in`, wait),
    };
  };
  return {
    visitor: (caller, wait) => deps.selfService.visitor(clientOf(caller, wait)),
    user: (caller, { tokens }) => deps.selfService.user(clientOf(caller), tokens.access_token),
    languageOf,
  };
}
