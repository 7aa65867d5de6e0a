/** The auth service functions that the Account pages call. `main.ts` provides them. */

/** The auth functions that return users to an app. */
export interface ReturnDeps {
  /** Applies auth's redirect rules (site_url, additional_redirect_urls, loopback addresses) to an absolute URL. */
  readonly isAllowedRedirect: (address: string) => boolean;
  /**
   * Returns a one-time code for the user and session of a verified, unexpired access token. A caller that posts the
   * code to `/auth/v1/token?grant_type=pkce` with the verifier for the challenge gets a new session for that user, with
   * the assurance level (aal), methods (amr) and factor of the original session. The code has the same lifetime as
   * other PKCE codes.
   */
  readonly issueCode: (request: {
    readonly accessToken: string;
    readonly codeChallenge: string;
    readonly codeChallengeMethod: 's256' | 'plain';
    /** The app's URL. The user's session list shows the origin of this URL. */
    readonly redirectTo: string;
  }) => Promise<string>;
  /** Whether an app that didn't send a PKCE challenge receives its session in the URL fragment. */
  readonly implicit: boolean;
  /** Whether users must use a second factor before they return to an app. */
  readonly requireMfa: boolean;
}

/** The auth functions that the consent page needs. */
export interface ConsentDeps {
  /** Whether an administrator registered the app. Other apps can be registered by anyone under any name. */
  readonly isTrustedClient: (clientId: string) => Promise<boolean>;
  /** Whether the client has registered the address in `post_logout_redirect_uris`. */
  readonly isPostLogoutRedirect: (clientId: string, address: string) => Promise<boolean>;
  /** Returns the URLs of the clients' logout pages. The browser loads these pages after the sessions have ended. */
  readonly frontchannelUrls: (
    ended: readonly { readonly clientId: string; readonly sessionId: string }[],
  ) => Promise<readonly string[]>;
  /** Returns the client that sent a pending authorization request. */
  readonly requestingClient: (
    authorizationId: string,
  ) => Promise<{ readonly name: string; readonly redirectUri: string } | undefined>;
  /**
   * Releases an authorization request that this user opened but neither approved nor denied, so that another user can
   * open it.
   */
  readonly releaseAuthorization: (authorizationId: string, userId: string) => Promise<void>;
}

/** The auth functions that the guest pages need. */
export interface GuestDeps {
  /**
   * Transfers a guest's data to an account by calling the project's hook, then deletes the guest. The caller must pass
   * access tokens for both accounts. If the hook fails, throws the hook's error and leaves the guest unchanged.
   */
  readonly transferGuest: (request: {
    readonly guestToken: string;
    readonly accountToken: string;
    readonly ip: string;
  }) => Promise<'done' | 'guest_gone' | 'not_signed_in' | 'insufficient_aal' | 'stale'>;
}
