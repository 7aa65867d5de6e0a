/** Runs the auth service's operations for a browser. */
import type { FastifyRequest } from 'fastify';
import { keepLoopbackName } from '../../base/kernel/request-origin.ts';
import type {
  PageClient,
  SelfService,
  UserOperations,
  VisitorOperations,
} from '../../services/auth/index.ts';
import { cameFrom, withWait } from './core/confirm.ts';
import { chooseLanguage, languageCookie } from './core/languages.ts';
import { deviceIdOf } from './device.ts';
import { cookieOf } from './request-cookies.ts';

export type { AuthUser, TokenPair } from '../../services/auth/index.ts';

/** The client for which the auth operations run. */
export type Caller = Pick<FastifyRequest, 'id' | 'ip' | 'headers' | 'host' | 'protocol'>;

/** Runs the auth operations for browsers. Every operation rejects with an `AuthRejection` if auth returns an error. */
export interface AuthClient {
  /**
   * Returns the operations that don't require a session. `wait` identifies the window that is waiting for the user to
   * open the link in an email (`waiting-windows.ts`).
   */
  visitor(caller: Caller, wait?: string): VisitorOperations;
  /** Returns the operations that a signed-in user can run. The operations run with the session's access token. */
  user(caller: Caller, session: { readonly tokens: { readonly access_token: string } }): UserOperations;
  /** Returns the language in which the browser displays the pages. */
  languageOf(caller: Caller): string;
}

export function createAuthClient(deps: {
  readonly selfService: Pick<SelfService, 'visitor' | 'user'>;
  readonly accountUrl: () => string;
  /** The project's languages. The first language is the default. */
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
    // Links in emails open the Account pages.
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
