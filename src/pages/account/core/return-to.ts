/** Parses the request of the app that opened the pages, and builds the URL that returns the user to the app. */

export interface ReturnRequest {
  readonly redirectTo: string;
  /** The PKCE challenge. The challenge is undefined if the app expects its session in the URL fragment. */
  readonly challenge: { readonly value: string; readonly method: 's256' | 'plain' } | undefined;
  /**
   * Whether the app is opened without a code if the app's request contains no challenge. The value is true for links
   * that operators create. These links can't contain a challenge, because only the app can create one.
   */
  readonly opensWithoutCode: boolean;
}

/** Parses the app's request. Returns undefined if the challenge or its method doesn't match RFC 7636 section 4.2. */
export function parseReturnRequest(body: Readonly<Record<string, unknown>>): ReturnRequest | undefined {
  const { redirect_to: redirectTo, code_challenge: value, code_challenge_method: method = 's256' } = body;
  const opensWithoutCode = body.next === 'app';
  if (typeof redirectTo !== 'string' || redirectTo === '') return undefined;
  if (value === undefined || value === null || value === '') {
    return { redirectTo, challenge: undefined, opensWithoutCode };
  }
  if (typeof value !== 'string' || !/^[A-Za-z0-9._~-]{43,128}$/.test(value)) return undefined;
  const known = typeof method === 'string' ? method.toLowerCase() : '';
  if (known !== 's256' && known !== 'plain') return undefined;
  return { redirectTo, challenge: { value, method: known }, opensWithoutCode };
}

/** Adds the PKCE code to the app's URL. Keeps the URL's other query parameters and replaces an existing `code`. */
export function withCode(redirectTo: string, code: string): string {
  const url = new URL(redirectTo);
  url.searchParams.set('code', code);
  return url.href;
}

/**
 * Adds a session to the fragment of the app's URL. The fragment has the same format as in redirects from the auth
 * service (GET /verify), so supabase-js reads it if `detectSessionInUrl` is set.
 */
export function withSession(
  redirectTo: string,
  session: {
    access_token: string;
    refresh_token: string;
    expires_in: number;
    expires_at: number;
    token_type: string;
  },
): string {
  const url = new URL(redirectTo);
  const fields = {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: session.token_type,
  };
  url.hash = new URLSearchParams(fields).toString();
  return url.href;
}

/**
 * Returns a readable form of an app's URL: the host of a web page, or the scheme of a native app's URL (RFC 8252,
 * section 7.1). Returns undefined for any other URL. `web/account/flow.ts` contains the same function.
 *
 * @example hostOf('com.example.app:/callback') // 'com.example.app'
 */
export function hostOf(address: string | null): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  if (protocol === 'http:' || protocol === 'https:') return host;
  const scheme = protocol.slice(0, -1);
  return scheme.includes('.') || address.startsWith('//', protocol.length) ? scheme : undefined;
}
