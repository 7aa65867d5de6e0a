/** Implements POST /otp, /magiclink, /recover and /resend, which send codes and links. */
import { audienceOf } from '../common/audience.ts';
import type { Call, Operation } from '../common/operation.ts';
import { requireCaptcha } from '../limits/captcha.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { recover } from './recover.ts';
import { resend } from './resend.ts';
import { sendMagicLink, sendOtp } from './send.ts';

/** Sends a code. Returns the message ID for the response, if any (see `codes/send.ts`). */
export const sendCode: Operation<Call, string | undefined> = {
  guards: [limitByAddress('otp'), requireCaptcha],
  run: (ctx, { caller, body }) => sendOtp(ctx, caller, body()),
};

export const sendLink: Operation<Call, void> = {
  guards: [limitByAddress('magiclink'), requireCaptcha],
  run(ctx, { caller, body }) {
    const fields = body();
    return sendMagicLink(ctx, caller, {
      email: fields.text('email'),
      data: fields.object('data') ?? {},
      codeChallenge: fields.text('code_challenge'),
      codeChallengeMethod: fields.text('code_challenge_method'),
      createUser: true,
      aud: audienceOf(ctx, caller),
    });
  },
};

export const recoverAccount: Operation<Call, void> = {
  guards: [limitByAddress('recover'), requireCaptcha],
  run: (ctx, { caller, body }) => recover(ctx, caller, body),
};

/** Resends a code. Returns the message ID for the response, if any (see `codes/resend.ts`). */
export const resendCode: Operation<Call, string | undefined> = {
  guards: [limitByAddress('resend'), requireCaptcha],
  run: (ctx, { caller, body }) => resend(ctx, caller, body()),
};
