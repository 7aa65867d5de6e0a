/** The interface that the Account pages use to call auth. */
import type { AuthRejection } from '../../shared/auth-rejection.ts';
import type { JsonObject } from '../core/json.ts';
import type { SsoPolicy } from '../flows/enforced-sso.ts';
import type { Reversed } from '../flows/event-reversals.ts';
import type { RemovalState } from '../flows/factor-removals.ts';
import type { ReversalFacts } from '../operations/event-reversals.ts';
import type { RemovalFacts } from '../operations/factor-removals.ts';
import type { PublicSettings } from '../public-settings.ts';

/** The browser on whose behalf a page calls auth. */
export interface PageClient {
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** A hash of the cookie that identifies the browser. */
  readonly deviceId: string | undefined;
  readonly host: string;
  /** The language of the page. */
  readonly language: string;
  /** The URL that links in emails lead to, if the redirect rule allows it. */
  readonly redirectTo: string | undefined;
}

/** A new session and its user, as `POST /token` returns them. */
export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  /** How long the access token is valid, in seconds. */
  readonly expires_in: number;
  /** When the access token expires, in seconds since the epoch. */
  readonly expires_at: number;
  readonly user: AuthUser;
}

export const pairOf = (session: JsonObject): TokenPair => session as unknown as TokenPair;

/** A user, as `GET /user` returns it. */
export interface AuthUser {
  readonly id: string;
  /** Only the Account pages receive this field. */
  readonly has_password?: boolean;
  readonly factors?: readonly {
    readonly id: string;
    readonly status: string;
    readonly factor_type: string;
  }[];
  readonly [field: string]: unknown;
}

/** The request body of the route that has the same effect as the operation. */
export type Body = Readonly<Record<string, unknown>>;

/**
 * Operations that don't require a session. The caller has the permissions of the publishable key, whether or not the
 * browser is signed in.
 */
export interface VisitorOperations {
  signInWithPassword(body: Body): Promise<TokenPair>;
  signInWithWallet(body: Body): Promise<TokenPair>;
  passkeyOptions(body: Body): Promise<object>;
  signInWithPasskey(body: Body): Promise<TokenPair>;
  redeemCode(code: string, verifier: string): Promise<TokenPair>;
  refresh(refreshToken: string): Promise<TokenPair>;
  /** Signs a user up. Returns undefined if the contact must be confirmed first, or is already in use. */
  signUp(body: Body): Promise<TokenPair | undefined>;
  signUpAsGuest(body: Body): Promise<TokenPair>;
  sendCode(body: Body): Promise<void>;
  resendCode(body: Body): Promise<void>;
  sendRecovery(body: Body): Promise<void>;
  /** Verifies a typed code. Returns undefined if an email change still requires confirmation at the other address. */
  verifyCode(body: Body): Promise<TokenPair | undefined>;
  /** Verifies a link. Returns the URL that the link redirects to, which contains a session, a code or an error. */
  followLink(link: { type: string; token: string; redirectTo: string }): Promise<string>;
  /** Cancels an email change with the link that was sent to the old address. Rejects with `otp_expired`. */
  cancelEmailChange(token: string): Promise<void>;
  /**
   * Returns the change that the link in a security notice undoes, with its time in the language of the page. Doesn't use
   * the link. Rejects with `otp_expired`.
   */
  readReversal(token: string): Promise<ReversalFacts>;
  /** Rejects with `otp_expired` if the link can't unlock an account. Doesn't use the link. */
  readUnlock(token: string): Promise<void>;
  /** Unlocks the account after too many wrong attempts. Rejects with `otp_expired`. */
  unlock(token: string): Promise<void>;
  /** Undoes the change. Returns how the user gets back in. Rejects with `otp_expired`. */
  reverse(token: string): Promise<Reversed>;
  /** Returns what the link in the email about lost factors confirms. Rejects with `otp_expired`. */
  readFactorRemoval(token: string): Promise<RemovalFacts>;
  confirmFactorRemoval(token: string): Promise<void>;
  /** Returns the account's address. Rejects with `otp_expired` if a link was used or has expired. Doesn't use the link. */
  checkLink(link: {
    type: string;
    token: string;
  }): Promise<{ readonly email: string; readonly newEmail: string }>;
  /** Returns the URL where the browser signs in. */
  providerAddress(query: URLSearchParams): Promise<string>;
  /** Returns the identity provider's URL for a domain. */
  ssoAddress(body: Body): Promise<string>;
  /** Returns the name of a connection. Rejects with `sso_provider_not_found`. */
  ssoConnection(id: string): Promise<string>;
  /** Returns how single sign-on applies to an email domain. */
  ssoPolicy(domain: string): Promise<SsoPolicy>;
}

/** Operations for a signed-in user, who is identified by an access token. */
export interface UserOperations {
  read(): Promise<AuthUser>;
  update(body: Body): Promise<void>;
  signOut(scope: string): Promise<void>;
  /**
   * Ends the sessions in this browser, including those of apps, or all sessions in other browsers. Returns the ended
   * sessions of OpenID clients that are notified.
   */
  signOutBrowsers(
    scope: 'this' | 'others',
  ): Promise<readonly { readonly clientId: string; readonly sessionId: string }[]>;
  challengeFactor(factorId: string): Promise<{ id: string }>;
  verifyFactor(factorId: string, body: Body): Promise<TokenPair>;
  verifyRecoveryCode(body: Body): Promise<TokenPair>;
  /** Returns the state of the user's request to remove lost second factors. */
  factorRemoval(): Promise<RemovalState>;
  /** Emails the link that confirms the request. */
  requestFactorRemoval(): Promise<void>;
  cancelFactorRemoval(): Promise<void>;
  openAuthorization(id: string): Promise<OpenAuthorization>;
  /** Returns the URL to redirect the browser to. */
  decideAuthorization(id: string, body: Body): Promise<string>;
  /** Returns the URL of the provider whose identity the user links. */
  linkingAddress(query: URLSearchParams): Promise<string>;
}

/**
 * The request of an OAuth client that the user must decide. If the user has already granted the request, contains only
 * the redirect URL.
 */
export type OpenAuthorization =
  | { readonly redirect_url: string }
  | {
      readonly redirect_uri: string;
      readonly scope: string;
      readonly client: { id: string; name?: string; uri?: string; logo_uri?: string };
    };

/**
 * The operations for the Account pages. Every operation rejects with an {@link AuthRejection} that has the status and
 * body of the route's error response.
 */
export interface SelfService {
  settings(): PublicSettings;
  visitor(client: PageClient): VisitorOperations;
  user(client: PageClient, accessToken: string): UserOperations;
}

export type { PublicSettings };
