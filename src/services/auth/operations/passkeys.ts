/** Implements sign-in with a passkey. */
import type { IssuedSession } from '../core/issued-session.ts';
import { requirePasskeys } from '../flows/passkey-list.ts';
import { beginPasskeySignIn, finishPasskeySignIn, type PasskeyOptions } from '../flows/passkeys.ts';
import { requireCaptcha } from './captcha.ts';
import { limitByAddress } from './limit-by-address.ts';
import type { Call, Operation } from './operation.ts';

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
