/**
 * Creates a challenge for a second factor, verifies the code, and replaces the session's tokens with tokens for the
 * higher assurance level.
 */
import type { FastifyRequest } from 'fastify';
import type { AuthClient, TokenPair } from './auth-client.ts';
import type { OpenSession, SessionStore } from './sessions.ts';

/**
 * Verifies the code from a second factor and returns the session with its new tokens.
 * @throws {AuthRejection} such as mfa_verification_failed
 */
export async function proveFactor(
  { auth, sessions }: { readonly auth: AuthClient; readonly sessions: SessionStore },
  request: FastifyRequest,
  session: OpenSession,
  proof: { readonly factorId: string; readonly code: string },
): Promise<{ session: OpenSession; pair: TokenPair }> {
  const user = auth.user(request, session);
  const challenge = await user.challengeFactor(proof.factorId);
  const pair = await user.verifyFactor(proof.factorId, { challenge_id: challenge.id, code: proof.code });
  return { session: await sessions.replace(session, pair), pair };
}
