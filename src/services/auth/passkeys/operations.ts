/** Implements sign-in with a passkey. */

import type { Call, Operation } from '../common/operation.ts';
import { requireCaptcha } from '../limits/captcha.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { requirePasskeys } from './list.ts';
import { beginPasskeySignIn, finishPasskeySignIn, type PasskeyOptions } from './passkeys.ts';

export const passkeyChallenge: Operation<Call, PasskeyOptions> = {
  // `requirePasskeys` runs first, so that the response says that passkeys are disabled even if a rate limit is
  // exceeded.
  guards: [requirePasskeys, limitByAddress('passkey'), requireCaptcha],
  run: beginPasskeySignIn,
};

export const passkeySignIn: Operation<Call, IssuedSession> = {
  signIn: 'passkey',
  guards: [requirePasskeys],
  run: (ctx, { caller, body }) => finishPasskeySignIn(ctx, caller, body()),
};
