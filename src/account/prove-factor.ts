/** Challenges a second factor, verifies its code, and replaces the session's tokens with tokens of the higher level. */
import type { FastifyRequest } from 'fastify';
import type { AuthClient, TokenPair } from './auth-client.ts';
import type { OpenSession, SessionStore } from './sessions.ts';

/** @throws {AuthRefusal} such as mfa_verification_failed */
export async function proveFactor(
  { auth, sessions }: { readonly auth: AuthClient; readonly sessions: SessionStore },
  request: FastifyRequest,
  session: OpenSession,
  proof: { readonly factorId: string; readonly code: string },
): Promise<{ session: OpenSession; pair: TokenPair }> {
  const accessToken = session.tokens.access_token;
  const path = `/factors/${proof.factorId}`;
  const challenge = await auth.call<{ id: string }>(request, {
    method: 'POST',
    path: `${path}/challenge`,
    body: {},
    accessToken,
  });
  const body = { challenge_id: challenge.id, code: proof.code };
  const pair = await auth.call<TokenPair>(request, {
    method: 'POST',
    path: `${path}/verify`,
    body,
    accessToken,
  });
  return { session: await sessions.replace(session, pair), pair };
}
