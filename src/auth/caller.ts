/**
 * The caller of a use case: the client that sent a request, without the request itself. Routes build the caller from
 * HTTP (`http/exchange.ts`). Other modules of this process build callers from their own data (decision 40).
 */
import type { Claims } from '../keys/types.ts';
import type { Session, User } from './rows.ts';

export interface Caller {
  /** The client's IP address, for rate limits, the audit log and hooks. */
  readonly ip: string;
  readonly userAgent: string;
  /** The `Host` header of the request. */
  readonly host: string;
  /** The bearer token, which hasn't been verified yet. */
  readonly accessToken: string | undefined;
  /** Whether the request contains credentials, even if they are malformed. */
  readonly hasCredentials: boolean;
  /**
   * The audience that the request specifies. If it is undefined, the token's audience or the default audience applies.
   */
  readonly audience: string | undefined;
  /**
   * The language of the Account page that the request came from. Undefined for requests from other clients, which get
   * the same emails as in GoTrue.
   */
  readonly pageLanguage?: string | undefined;
  /** A hash of the cookie that identifies the browser on the Account pages. Undefined for other clients. */
  readonly deviceId?: string | undefined;
  /**
   * Returns the URL that links in emails lead to. This is the requested URL if the redirect rule allows it, and
   * otherwise the site URL.
   */
  redirectTo(): string;
  /**
   * Sets a response header. Headers aren't part of the result because error responses also need them. For example,
   * one header identifies the session that a rejected refresh token belongs to.
   */
  setHeader(name: string, value: string): void;
}

/** A caller with a valid access token. The user and the session were read from the database for this request. */
export interface UserCaller extends Caller {
  readonly claims: Claims;
  readonly user: User;
  /**
   * The token's session, reduced to the assurance level that the token proves. Undefined if the token has no session.
   */
  readonly session: Session | undefined;
}

/** A caller whose token has an admin role. */
export interface AdminCaller extends Caller {
  readonly claims: Claims;
}
