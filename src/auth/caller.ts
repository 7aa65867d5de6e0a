/**
 * The client that a use case runs for, independent of HTTP. Routes create callers from HTTP requests
 * (`http/exchange.ts`). Other modules in this process create callers from their own data (decision 40).
 */
import type { Claims } from '../keys/types.ts';
import type { Session, User } from './rows.ts';

export interface Caller {
  /** The client's IP address, for rate limits, the audit log and hooks. */
  readonly ip: string;
  readonly userAgent: string;
  /** The `Host` header of the request. */
  readonly host: string;
  /** The bearer token, which hasn't been verified. */
  readonly accessToken: string | undefined;
  /** Whether the request contains credentials, even if they are malformed. */
  readonly hasCredentials: boolean;
  /** The audience in the request. If undefined, the token's audience or the default audience applies. */
  readonly audience: string | undefined;
  /**
   * The language of the Account page that sent the request. Undefined for other clients, which receive the same emails
   * as from GoTrue.
   */
  readonly pageLanguage?: string | undefined;
  /** Returns the language in which this browser displays the Account page at the URL, or undefined for other URLs. */
  readonly pageLanguageAt?: (url: string) => string | undefined;
  /** A hash of the cookie that identifies the browser to the Account pages. Undefined for other clients. */
  readonly deviceId?: string | undefined;
  /**
   * Returns the destination of links in emails. This is the requested URL if the redirect rule allows it, or else the
   * site URL.
   */
  redirectTo(): string;
  /**
   * Sets a response header. Headers aren't part of the result because error responses also need them. For example, a
   * header identifies the session of a rejected refresh token.
   */
  setHeader(name: string, value: string): void;
}

/** A caller with a valid access token. The user and session were read from the database for this request. */
export interface UserCaller extends Caller {
  readonly claims: Claims;
  readonly user: User;
  /**
   * The token's session, limited to the assurance level that the token proves. Undefined if the token has no session.
   */
  readonly session: Session | undefined;
}

/** A caller whose token has an admin role. */
export interface AdminCaller extends Caller {
  readonly claims: Claims;
}
