/** Builds the URL that returns the user to the app that opened the pages, with a code or with a separate session. */
import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AuthClient } from './auth-client.ts';
import type { ReturnDeps } from './auth-deps.ts';
import { parseReturnRequest, type ReturnRequest, withCode, withSession } from './core/return-to.ts';
import { AccountError } from './errors.ts';
import { requireSecondFactor, type Visitor, type Visitors } from './visitor.ts';

/**
 * Returns the URL that opens the app with its code or session. `requested` contains `redirect_to`, `code_challenge`,
 * `code_challenge_method` and `next` from the page's URL.
 * @throws {AccountError} bad_code_challenge, redirect_not_allowed, pkce_required, not_signed_in, insufficient_aal,
 *   factor_required
 */
export type ReturnAddress = (
  request: FastifyRequest,
  requested: Readonly<Record<string, unknown>>,
  /**
   * The session of a visitor who has just signed in, because the request doesn't contain the new session cookie yet.
   */
  arrived?: Visitor,
) => Promise<string>;

/** The errors in an app's request that can be detected before the user signs in. */
export type RequestFault = 'bad_code_challenge' | 'redirect_not_allowed' | 'pkce_required';

/**
 * Checks an app's request. Returns the reason why the app can't receive a session, or undefined if the app can receive
 * one.
 */
export function faultOf(
  returning: Pick<ReturnDeps, 'isAllowedRedirect' | 'implicit'>,
  fields: Readonly<Record<string, unknown>>,
): RequestFault | undefined {
  const requested = parseReturnRequest(fields);
  if (requested === undefined) return 'bad_code_challenge';
  const { redirectTo, challenge, opensWithoutCode } = requested;
  if (!returning.isAllowedRedirect(redirectTo)) return 'redirect_not_allowed';
  return challenge === undefined && !returning.implicit && !opensWithoutCode ? 'pkce_required' : undefined;
}

export function createReturnAddress(deps: {
  readonly returning: ReturnDeps;
  readonly auth: AuthClient;
  readonly visitors: Visitors;
}): ReturnAddress {
  const { returning, auth, visitors } = deps;
  return async (request, fields, arrived) => {
    const fault = faultOf(returning, fields);
    if (fault !== undefined) throw new AccountError(fault);
    const { redirectTo, challenge } = parseReturnRequest(fields) as ReturnRequest;
    const visitor = arrived ?? (await visitors.needed(request));
    requireSecondFactor(visitor, returning.requireMfa);
    if (challenge === undefined && !returning.implicit) return redirectTo;
    const accessToken = visitor.session.tokens.access_token;
    if (challenge !== undefined) {
      const { value: codeChallenge, method: codeChallengeMethod } = challenge;
      return withCode(
        redirectTo,
        await returning.issueCode({ accessToken, codeChallenge, codeChallengeMethod, redirectTo }),
      );
    }
    const verifier = randomBytes(32).toString('base64url');
    const code = await returning.issueCode({
      accessToken,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      codeChallengeMethod: 's256',
      redirectTo,
    });
    return withSession(redirectTo, await auth.visitor(request).redeemCode(code, verifier));
  };
}
