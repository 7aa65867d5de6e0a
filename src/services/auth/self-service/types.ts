/** The interface through which the Account pages call the auth service. */

import type { AuthRejection } from '../../../base/shared/errors.ts';
import type { LinkFacts } from '../codes/verify-sign-in.ts';
import type { PublicSettings } from '../common/public-settings.ts';
import type { RemovalState } from '../factors/removals.ts';
import type { RemovalFacts } from '../factors/routes.ts';
import type { SetupAction, SetupOutcome, SetupState } from '../organizations/connections/setup.ts';
import type { InvitationKey, OwnOrganizations, ShownInvitation } from '../organizations/own-organizations.ts';
import type { Reversed } from '../security-events/reversals.ts';
import type { ReversalFacts } from '../security-events/routes.ts';
import type { SessionEnding } from '../sessions/own-sessions.ts';
import type { SsoPolicy } from '../sso/enforced.ts';

/** The browser on whose behalf a page calls the auth service. */
export interface PageClient {
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** A hash of the cookie that identifies the browser. */
  readonly deviceId: string | undefined;
  readonly host: string;
  readonly language: string;
  /** The URL to which links in emails lead, if the redirect rule allows this URL. */
  readonly redirectTo: string | undefined;
}

/** A new session and its user, as returned by `POST /token`. */
export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  /** The access token's lifetime in seconds. */
  readonly expires_in: number;
  /** The time at which the access token expires, in seconds since the epoch. */
  readonly expires_at: number;
  readonly user: AuthUser;
}

/** The session that follows a code or link. */
export interface VerifiedPair extends TokenPair {
  /**
   * Whether the code or link confirmed an account that an administrator prepared, so the user still has to choose how to
   * sign in.
   */
  readonly was_prepared: boolean;
}

/** A user, as returned by `GET /user`. */
export interface AuthUser {
  readonly id: string;
  /** Only responses to the Account pages contain this field. */
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
 * Operations that don't require a session. The caller has the permissions of the publishable key, even if the browser
 * is signed in.
 */
export interface VisitorOperations {
  signInWithPassword(body: Body): Promise<TokenPair>;
  signInWithWallet(body: Body): Promise<TokenPair>;
  passkeyOptions(body: Body): Promise<object>;
  signInWithPasskey(body: Body): Promise<TokenPair>;
  redeemCode(code: string, verifier: string): Promise<TokenPair>;
  refresh(refreshToken: string): Promise<TokenPair>;
  /** Signs a user up. Returns undefined if the contact must be confirmed first or is already in use. */
  signUp(body: Body): Promise<TokenPair | undefined>;
  signUpAsGuest(body: Body): Promise<TokenPair>;
  sendCode(body: Body): Promise<void>;
  resendCode(body: Body): Promise<void>;
  sendRecovery(body: Body): Promise<void>;
  /** Verifies a typed code. Returns undefined if an email change must still be confirmed at the other address. */
  verifyCode(body: Body): Promise<VerifiedPair | undefined>;
  /**
   * Verifies a link. Returns the URL to which the browser is redirected, which contains a session, a code or an error.
   */
  followLink(link: { type: string; token: string; redirectTo: string }): Promise<string>;
  /**
   * Cancels an email change when the user opens the link in the email to the old address. Rejects with `otp_expired`.
   */
  cancelEmailChange(token: string): Promise<void>;
  /**
   * Describes the change that the link in a security notice would undo, with the time of the change formatted in the
   * page's language. The link remains valid. Rejects with `otp_expired`.
   */
  readReversal(token: string): Promise<ReversalFacts>;
  /**
   * Returns `locked` if the link can unlock the account, or `unlocked` if the account is already unlocked. The link
   * remains valid. Rejects with `otp_expired`.
   */
  readUnlock(token: string): Promise<'locked' | 'unlocked'>;
  /**
   * Returns why a session of the user ended. `sinceMs` is the time at which the session's last access token was issued.
   * Must be called only for the browser in which this session was used.
   */
  explainEnding(ended: {
    readonly userId: string;
    readonly sinceMs: number;
  }): Promise<SessionEnding | undefined>;
  /** Unlocks an account that was locked after too many wrong attempts. Rejects with `otp_expired`. */
  unlock(token: string): Promise<void>;
  /** Undoes the change. Returns the ways in which the user can sign in again. Rejects with `otp_expired`. */
  reverse(token: string): Promise<Reversed>;
  /**
   * Returns the request to remove lost factors that the link in the email would confirm. Rejects with `otp_expired`.
   */
  readFactorRemoval(token: string): Promise<RemovalFacts>;
  confirmFactorRemoval(token: string): Promise<void>;
  /**
   * Returns the email address of the account that the link belongs to. The link remains valid. Rejects with
   * `otp_expired` if the link has been used or has expired.
   */
  checkLink(link: { type: string; token: string }): Promise<LinkFacts>;
  /** Returns the provider's URL at which the user signs in. */
  providerAddress(query: URLSearchParams): Promise<string>;
  /** Returns the identity provider's URL for a domain. */
  ssoAddress(body: Body): Promise<string>;
  /** Like `ssoAddress`, but for a link or form in which the user can't solve a captcha. */
  ssoJourney(body: Body): Promise<string>;
  /** Returns a connection's name. Rejects with `sso_provider_not_found`. */
  ssoConnection(id: string): Promise<string>;
  /**
   * Whether no account has the address, so that the user can sign up with it. Returns false for every address if the
   * project conceals accounts or doesn't accept sign-ups.
   */
  isNewAddress(email: string): Promise<boolean>;
  /** Returns an email domain's single sign-on policy. */
  ssoPolicy(domain: string): Promise<SsoPolicy>;
  /**
   * Returns the invitation to an organization that a token belongs to. Returns undefined if the token is unknown.
   * Rejects with `feature_disabled` if the project has no organizations.
   */
  organizationInvitation(token: string): Promise<ShownInvitation | undefined>;
  /**
   * Returns the single sign-on of the organization to which a setup link belongs. Rejects with `otp_expired` if the link is
   * unknown, expired or revoked.
   */
  readSetup(token: string): Promise<SetupState>;
  /** Makes a change on behalf of the holder of a setup link. */
  changeSetup(token: string, action: SetupAction): Promise<SetupOutcome>;
}

/** Operations for a signed-in user, who is identified by an access token. */
export interface UserOperations {
  read(): Promise<AuthUser>;
  update(body: Body): Promise<void>;
  signOut(scope: string): Promise<void>;
  /**
   * Ends all sessions in this browser, including the sessions of apps, or all sessions in other browsers. Returns the
   * ended sessions whose OpenID clients must be notified.
   */
  signOutBrowsers(
    scope: 'this' | 'others',
  ): Promise<readonly { readonly clientId: string; readonly sessionId: string }[]>;
  challengeFactor(factorId: string): Promise<{ id: string }>;
  verifyFactor(factorId: string, body: Body): Promise<TokenPair>;
  verifyRecoveryCode(body: Body): Promise<TokenPair>;
  /** Returns the state of the user's request to remove lost second factors. */
  factorRemoval(): Promise<RemovalState>;
  /** Emails the link that confirms the removal request. */
  requestFactorRemoval(): Promise<void>;
  cancelFactorRemoval(): Promise<void>;
  openAuthorization(id: string): Promise<OpenAuthorization>;
  /** Approves or denies an authorization. Returns the URL to which the browser is redirected. */
  decideAuthorization(id: string, body: Body): Promise<string>;
  /** Returns the URL of the provider at which the user links an identity. */
  linkingAddress(query: URLSearchParams): Promise<string>;
  /**
   * Returns the user's organizations, invitations and requests to join. All operations for organizations reject with
   * `feature_disabled` if the project has no organizations, and with the errors of the project's functions.
   */
  organizations(): Promise<OwnOrganizations>;
  /** Returns the new organization's ID. */
  createOrganization(name: string): Promise<string>;
  /** Selects the organization of the session. The next access token contains it. */
  switchOrganization(id: string | null): Promise<void>;
  /** Returns the ID of the organization that the user has joined. */
  acceptInvitation(token: string): Promise<string>;
  declineInvitation(key: InvitationKey): Promise<void>;
  requestToJoin(slug: string, message: string | null): Promise<void>;
  /** Joins the organization that holds the domain of the user's address, or asks to join. */
  joinOrganization(id: string): Promise<'joined' | 'requested'>;
  withdrawRequest(id: string): Promise<void>;
}

/**
 * An OAuth client's request that the user must approve or deny. If the user has already approved the client's access,
 * contains only the redirect URL.
 */
export type OpenAuthorization =
  | { readonly redirect_url: string }
  | {
      readonly redirect_uri: string;
      readonly scope: string;
      readonly client: { id: string; name?: string; uri?: string; logo_uri?: string };
    };

/**
 * The operations for the Account pages. Every operation rejects with an {@link AuthRejection} that contains the status
 * and body of the route's error response.
 */
export interface SelfService {
  settings(): PublicSettings;
  /** Returns the origins on which passkeys and security keys work. */
  keyOrigins(): readonly string[];
  visitor(client: PageClient): VisitorOperations;
  user(client: PageClient, accessToken: string): UserOperations;
}

export type { PublicSettings };
