/**
 * Describes the client for which a use case runs, independently of HTTP. Routes create callers from HTTP requests
 * (`http/exchange.ts`). Other modules in this process create callers from their own data (decision 40).
 */
import type { Claims } from '../../../platform/keys/types.ts';
import type { AuthContext } from '../context.ts';
import type { Session, User } from './rows.ts';

export interface Caller {
  /** The client's IP address, for rate limits, the audit log and hooks. */
  readonly ip: string;
  readonly userAgent: string;
  /** The `Host` header of the request. */
  readonly host: string;
  /** The unverified bearer token. */
  readonly accessToken: string | undefined;
  /** Whether the request contains credentials. The credentials may be malformed. */
  readonly hasCredentials: boolean;
  /**
   * The audience that the request specifies. If the request specifies none, the audience of the token or the default
   * audience applies.
   */
  readonly audience: string | undefined;
  /**
   * The language of the Account page that sent the request. Undefined for other clients, to which Plinth sends the same
   * emails as GoTrue.
   */
  readonly pageLanguage?: string | undefined;
  /**
   * Returns the language in which this browser displays the Account page at the URL, or undefined if the URL isn't an
   * Account page.
   */
  readonly pageLanguageAt?: (url: string) => string | undefined;
  /** A hash of the cookie that identifies the browser to the Account pages. The hash is undefined for other clients. */
  readonly deviceId?: string | undefined;
  /**
   * Returns the URL to which links in emails lead. If the redirect rule allows the requested URL, returns the requested
   * URL. Otherwise, returns the site URL.
   */
  redirectTo(): string;
  /**
   * Sets a response header. Headers aren't part of a use case's result, because error responses need headers too. For
   * example, a header identifies the session of a rejected refresh token.
   */
  setHeader(name: string, value: string): void;
}

/** A caller with a valid access token. The user and session were read from the database for this request. */
export interface UserCaller extends Caller {
  readonly claims: Claims;
  readonly user: User;
  /**
   * The token's session, with an assurance level that doesn't exceed the token's. The session is undefined if the token
   * doesn't belong to a session.
   */
  readonly session: Session | undefined;
}

/** A caller whose token has an admin role. */
export interface AdminCaller extends Caller {
  readonly claims: Claims;
}

/**
 * Returns the audience in which users are looked up by contact. If the request specifies an audience, returns it.
 * Otherwise, returns the audience of the token. For admin tokens and requests without a token, returns the default
 * audience.
 */
export function audienceOf(ctx: AuthContext, caller: Caller, claims?: Claims): string {
  if (caller.audience) return caller.audience;
  const isAdmin = typeof claims?.role === 'string' && ctx.settings.adminRoles.includes(claims.role);
  return (claims && !isAdmin && firstAudience(claims)) || ctx.settings.audience;
}

export function firstAudience(claims: Claims): string | undefined {
  const first: unknown = Array.isArray(claims.aud) ? claims.aud[0] : claims.aud;
  return typeof first === 'string' ? first : undefined;
}
