/**
 * Declares POST /otp, /magiclink, /recover and /resend, which send codes and links, and GET and POST /verify, which
 * accept them. The responses of the routes that send don't reveal whether an account exists.
 */
import { cancelEmailByLink } from '../account/contact-changes.ts';
import { audienceOf } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import type { Call, Operation } from '../common/operation.ts';
import { authError } from '../errors.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress, requireCaptcha } from '../limits/guards.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { resend } from './resend.ts';
import { recover, sendMagicLink, sendOtp } from './send.ts';
import { singleConfirmationAccepted } from './verify.ts';
import { parseVerifyRequest } from './verify-request.ts';
import {
  followLink,
  type LinkFacts,
  requireValidLink,
  type VerifiedSession,
  verifyCode,
} from './verify-sign-in.ts';

export function codeRoutes(route: Route): void {
  route(sendCode, { render: withMessageId });
  route(sendLink, { render: () => ({}) });
  route(recoverAccount, { render: () => ({}) });
  route(resendCode, { render: withMessageId });
  route(verifyTypedCode, {
    render: (session) =>
      session ? renderSession(session) : { msg: singleConfirmationAccepted, code: '200' },
  });
  route(verifyLink, {
    read: ({ query }) => ({ type: query.get('type') ?? '', hash: query.get('token') ?? '' }),
    render: (target) => target,
  });
}

function withMessageId(messageId: string | undefined): JsonObject {
  return messageId === undefined ? {} : { message_id: messageId };
}

/** Sends a code. Returns the message ID for the response, if any (see `send.ts`). */
export const sendCode: Operation<Call, string | undefined> = {
  on: 'POST /otp',
  guards: [limitByAddress('otp'), requireCaptcha],
  run: (ctx, { caller, body }) => sendOtp(ctx, caller, body()),
};

const sendLink: Operation<Call, void> = {
  on: 'POST /magiclink',
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
  on: 'POST /recover',
  guards: [limitByAddress('recover'), requireCaptcha],
  run: (ctx, { caller, body }) => recover(ctx, caller, body),
};

/** Resends a code. Returns the message ID for the response, if any (see `resend.ts`). */
export const resendCode: Operation<Call, string | undefined> = {
  on: 'POST /resend',
  guards: [limitByAddress('resend'), requireCaptcha],
  run: (ctx, { caller, body }) => resend(ctx, caller, body()),
};

/** Verifies a typed code. Returns undefined if an email change must still be confirmed at the other address. */
export const verifyTypedCode: Operation<Call, VerifiedSession | undefined> = {
  on: 'POST /verify',
  guards: [limitByAddress('verify')],
  signIn: 'code',
  run(ctx, { caller, body }) {
    const fields = body();
    const request = parseVerifyRequest({
      type: fields.text('type'),
      token: fields.text('token'),
      tokenHash: fields.text('token_hash'),
      email: fields.text('email'),
      phone: fields.text('phone'),
      redirectTo: fields.text('redirect_to'),
    });
    return verifyCode(ctx, caller, request);
  },
};

interface LinkCall extends Call {
  readonly type: string;
  readonly hash: string;
}

/** Verifies a link. Returns the URL to which the browser is redirected. */
export const verifyLink: Operation<LinkCall, string> = {
  on: 'GET /verify',
  status: 303,
  guards: [limitByAddress('verify')],
  errorPage: (_ctx, caller) => caller.redirectTo(),
  run(ctx, { caller, type, hash }) {
    if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
    if (hash === '') throw authError('validation_failed', 'Verify requires a token or a token hash');
    return followLink(ctx, caller, { type, hash, typed: undefined });
  },
};

/**
 * Throws `otp_expired` if a link has been used or has expired. The link stays valid. Only the Account pages call this
 * operation.
 */
export const checkLink: Operation<LinkCall, LinkFacts> = {
  on: 'GET /verify',
  guards: [limitByAddress('verify')],
  run: (ctx, { type, hash }) => requireValidLink(ctx, { type, hash, typed: undefined }),
};

/**
 * Cancels an email change when the user opens the link in the email to the old address. Only the Account pages call
 * this operation.
 */
export const cancelChange: Operation<LinkCall, void> = {
  on: 'DELETE /user/email_change',
  status: 204,
  guards: [limitByAddress('verify')],
  run: (ctx, { hash }) => cancelEmailByLink(ctx, hash),
};
