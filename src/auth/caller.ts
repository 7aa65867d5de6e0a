/**
 * The caller of a use case: the client that sent a request, without the request itself. Routes build the caller from
 * HTTP (`http/exchange.ts`). Other modules of this process build it from their own data (decision 40).
 */
import type { Claims } from '../keys/types.ts';
import type { Session, User } from './rows.ts';

export interface Caller {
  /** The client's address, for rate limits, the audit log and hooks. */
  readonly ip: string;
  readonly userAgent: string;
  /** The bearer token, not yet verified. */
  readonly accessToken: string | undefined;
  /** Whether the request has credentials at all, well-formed or not. */
  readonly hasCredentials: boolean;
  /** The audience that the request specifies. If undefined, the token's audience or the default is used. */
  readonly audience: string | undefined;
  /** The address that links in emails lead to: the requested one if the redirect rule allows it, otherwise the site URL. */
  redirectTo(): string;
  /**
   * Sets a response header. Headers aren't part of the result because a failed request carries them too, for example the
   * session that a rejected refresh token belongs to.
   */
  setHeader(name: string, value: string): void;
}

/** A caller with a valid access token. The user and the session were read from the database for this request. */
export interface UserCaller extends Caller {
  readonly claims: Claims;
  readonly user: User;
  /** The session at the token's assurance level. Undefined if the token has no session. */
  readonly session: Session | undefined;
}

/** A caller whose token has an admin role. */
export interface AdminCaller extends Caller {
  readonly claims: Claims;
}
