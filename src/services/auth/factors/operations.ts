/** Issues and verifies challenges for second factors, and verifies recovery codes. */

import type { Call, Operation } from '../common/operation.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { requirePermanentUser } from '../sessions/authenticate.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { challengeFactor, verifyFactor } from './challenges.ts';
import { requireFactor } from './factors.ts';
import { requireRecoveryCodes, verifyRecoveryCode } from './recovery-codes.ts';
import type { FactorChallenge } from './render.ts';

export interface FactorCall extends Call {
  readonly factorId: string;
}

export interface ChallengeCall extends FactorCall {
  /** Whether the request has a body. The body is optional for some factor types. */
  readonly hasBody: boolean;
}

export const challengeOwnFactor: Operation<ChallengeCall, FactorChallenge> = {
  guards: [limitByAddress('factor_challenge')],
  async run(ctx, { caller, factorId, hasBody, body }) {
    const self = await requirePermanentUser(ctx, caller);
    const factor = await requireFactor(ctx, factorId, self.user.id);
    return challengeFactor(ctx, self, factor, { isEmpty: !hasBody, read: body });
  },
};

export const verifyOwnFactor: Operation<FactorCall, IssuedSession> = {
  signIn: 'second_factor',
  guards: [limitByAddress('factor_verify')],
  async run(ctx, { caller, factorId, body }) {
    const self = await requirePermanentUser(ctx, caller);
    const factor = await requireFactor(ctx, factorId, self.user.id);
    return verifyFactor(ctx, self, factor, body());
  },
};

export const verifyOwnRecoveryCode: Operation<Call, IssuedSession> = {
  signIn: 'recovery_code',
  guards: [limitByAddress('factor_verify')],
  async run(ctx, { caller, body }) {
    requireRecoveryCodes(ctx);
    const self = await requirePermanentUser(ctx, caller);
    return verifyRecoveryCode(ctx, self, body().text('code'));
  },
};
