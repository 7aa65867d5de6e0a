/**
 * Verifies the second factor in a form that was submitted without scripts: a code from an authenticator app, or a
 * recovery code.
 */
import type { FastifyRequest } from 'fastify';
import { AuthRejection } from '../../base/shared/errors.ts';
import type { AuthClient, TokenPair } from './auth-client.ts';
import { digitsIn, FieldFault, recoveryField, textIn } from './form-fields.ts';
import type { OpenSession, SessionStore } from './sessions.ts';
import type { Visitor, Visitors } from './visitor.ts';

interface SecondStepDeps {
  readonly auth: AuthClient;
  readonly sessions: SessionStore;
  readonly visitors: Visitors;
}

interface SecondStep {
  readonly request: FastifyRequest;
  readonly form: URLSearchParams;
}

/**
 * Raises the session to the higher assurance level.
 * @throws {FieldFault} if a field is empty or the recovery code is wrong
 * @throws {AuthRejection} such as mfa_verification_failed
 */
export const passSecondStep = (deps: SecondStepDeps, step: SecondStep): Promise<Visitor> =>
  step.form.has(recoveryField) ? verifyRecoveryCode(deps, step) : verifyFactor(deps, step);

/** Verifies a second-factor code. Only the auth service can determine to which authenticator the code belongs. */
async function verifyFactor(
  { auth, sessions, visitors }: SecondStepDeps,
  { request, form }: SecondStep,
): Promise<Visitor> {
  const { session, user } = await visitors.needed(request);
  const entered = digitsIn(form);
  const factors = (user.factors ?? []).filter(
    (factor) => factor.status === 'verified' && factor.factor_type === 'totp',
  );
  let rejection: unknown = new AuthRejection(422, { error_code: 'mfa_factor_not_found' });
  for (const { id: factorId } of factors) {
    try {
      const proof = { factorId, code: entered };
      const proven = await proveFactor({ auth, sessions }, request, session, proof);
      return { session: proven.session, user: proven.pair.user };
    } catch (error) {
      if (!(error instanceof AuthRejection && error.code === 'mfa_verification_failed')) throw error;
      rejection = error;
    }
  }
  throw rejection;
}

/** Uses a recovery code in place of a second-factor code. */
async function verifyRecoveryCode(
  { auth, sessions, visitors }: SecondStepDeps,
  { request, form }: SecondStep,
): Promise<Visitor> {
  const { session } = await visitors.needed(request);
  const code = textIn(form, recoveryField, 'mfa.recovery-missing', 'code').trim();
  try {
    const pair = await auth.user(request, session).verifyRecoveryCode({ code });
    return { session: await sessions.replace(session, pair), user: pair.user };
  } catch (error) {
    // The auth service returns the same error for all wrong codes, and the error's text mentions authenticator apps.
    const isWrong = error instanceof AuthRejection && error.code === 'mfa_verification_failed';
    throw isWrong ? new FieldFault('mfa.recovery-wrong', 'code') : error;
  }
}

/**
 * Verifies the code from a second factor and returns the session with its new tokens, which have the higher assurance
 * level.
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
