/**
 * Simulates an app that redirects users to the Account pages. The app has a redirect URL and implements the client's
 * part of PKCE (RFC 7636).
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Backend } from '../../src/entry/main.ts';

export interface TestApp {
  readonly url: string;
  /**
   * Starts a sign-in. Returns the query string for an Account page, and the PKCE verifier, which only this browser has.
   */
  startSignIn(): { readonly search: string; readonly verifier: string };
  close(): Promise<void>;
}

export async function openApp(): Promise<TestApp> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/welcome`;
  return {
    url,
    startSignIn() {
      const verifier = randomBytes(32).toString('base64url');
      const code_challenge = createHash('sha256').update(verifier).digest('base64url');
      const query = new URLSearchParams({ redirect_to: url, code_challenge, code_challenge_method: 's256' });
      return { verifier, search: `?${query}` };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Exchanges the code in the app's address for a session, and returns the user's email address. */
export async function redeemAt(
  backend: Backend,
  address: string,
  verifier: string,
): Promise<string | undefined> {
  const response = await backend.fetch('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_code: new URL(address).searchParams.get('code'), code_verifier: verifier }),
  });
  return ((await response.json()) as { user?: { email: string } }).user?.email;
}
