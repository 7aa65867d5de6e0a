/** Builds the address that returns the user to the calling app, with a code or a separate session for the app. */
import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AuthClient } from './auth-client.ts';
import type { ReturnDeps } from './auth-deps.ts';
import { parseReturnRequest, withCode, withSession } from './core/return-to.ts';
import { AccountError } from './errors.ts';
import { hasFactor, mustStepUp, type Visitor, type Visitors } from './visitor.ts';

/**
 * Returns the address for an app. `requested` contains `redirect_to`, `code_challenge` and `code_challenge_method` as
 * sent by the app.
 * @throws {AccountError} bad_code_challenge, redirect_not_allowed, pkce_required, not_signed_in, insufficient_aal,
 * factor_required
 */
export type ReturnAddress = (
  request: FastifyRequest,
  requested: Readonly<Record<string, unknown>>,
  /** The visitor, if they have just signed in, because the request doesn't contain their new cookie yet. */
  arrived?: Visitor,
) => Promise<string>;

export function createReturnAddress(deps: {
  readonly returning: ReturnDeps;
  readonly auth: AuthClient;
  readonly visitors: Visitors;
}): ReturnAddress {
  const { returning, auth, visitors } = deps;
  return async (request, fields, arrived) => {
    const requested = parseReturnRequest(fields);
    if (requested === undefined) throw new AccountError('bad_code_challenge');
    const { redirectTo, challenge } = requested;
    if (!returning.isAllowedRedirect(redirectTo)) throw new AccountError('redirect_not_allowed');
    if (challenge === undefined && !returning.implicit) throw new AccountError('pkce_required');
    const visitor = arrived ?? (await visitors.needed(request));
    if (mustStepUp(visitor)) throw new AccountError('insufficient_aal');
    if (returning.requireMfa && !hasFactor(visitor.user)) throw new AccountError('factor_required');
    const accessToken = visitor.session.tokens.access_token;
    if (challenge !== undefined) {
      const { value: codeChallenge, method: codeChallengeMethod } = challenge;
      return withCode(
        redirectTo,
        await returning.issueCode({ accessToken, codeChallenge, codeChallengeMethod }),
      );
    }
    const verifier = randomBytes(32).toString('base64url');
    const code = await returning.issueCode({
      accessToken,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      codeChallengeMethod: 's256',
    });
    return withSession(redirectTo, await auth.visitor(request).redeemCode(code, verifier));
  };
}
