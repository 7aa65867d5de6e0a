/** The auth service's functions that the Account pages call, provided by `main.ts`. */

/** The auth functions that the return to an app needs. Provided by `main.ts`. */
export interface ReturnDeps {
  /** Applies auth's redirect rule (site_url, additional_redirect_urls, loopback addresses) to an absolute address. */
  readonly isAllowedRedirect: (address: string) => boolean;
  /**
   * Returns a one-time code for the user and session of a verified, unexpired access token. A caller that posts the
   * code to `/auth/v1/token?grant_type=pkce` with the challenge's verifier gets a new session of that user with the
   * level (aal), methods (amr) and factor of the original session. The code is valid as long as other PKCE codes.
   */
  readonly issueCode: (request: {
    readonly accessToken: string;
    readonly codeChallenge: string;
    readonly codeChallengeMethod: 's256' | 'plain';
  }) => Promise<string>;
  /** Whether an app that sends no challenge gets its session in the fragment. */
  readonly implicit: boolean;
  /** Whether a second factor is required to return to an app. */
  readonly requireMfa: boolean;
}

/** The auth functions that the consent page needs. Provided by `main.ts`. */
export interface ConsentDeps {
  /** Whether an administrator registered the app. If not, anyone may have registered it, under any name. */
  readonly isVettedClient: (clientId: string) => Promise<boolean>;
  /** Releases a request that this user has opened but not decided, so that another user can decide it. */
  readonly releaseAuthorization: (authorizationId: string, userId: string) => Promise<void>;
}

/** The auth functions that the guest pages need. Provided by `main.ts`. */
export interface GuestDeps {
  /**
   * Transfers a guest's data to an account with the project's hook, then deletes the guest. Requires an access token
   * for each. Throws the hook's error, in which case the guest isn't changed.
   */
  readonly transferGuest: (request: {
    readonly guestToken: string;
    readonly accountToken: string;
    readonly ip: string;
  }) => Promise<'done' | 'guest_gone' | 'not_signed_in' | 'insufficient_aal' | 'stale'>;
}
