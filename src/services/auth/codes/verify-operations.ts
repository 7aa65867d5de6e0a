/** Implements POST and GET /verify, which verify typed codes and links. */

import { cancelEmailByLink } from '../account/pending-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { authError } from '../errors.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { parseVerifyRequest } from './verify-request.ts';
import { followLink, type LinkFacts, requireValidLink, verifyCode } from './verify-sign-in.ts';

/** Verifies a typed code. Returns undefined if an email change must still be confirmed at the other address. */
export const verifyTypedCode: Operation<Call, IssuedSession | undefined> = {
  signIn: 'code',
  guards: [limitByAddress('verify')],
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

export interface LinkCall extends Call {
  readonly type: string;
  readonly hash: string;
}

/**
 * Throws `otp_expired` if a link has been used or has expired. The link stays valid. Only the Account pages call this
 * operation.
 */
export const checkLink: Operation<LinkCall, LinkFacts> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { type, hash }) => requireValidLink(ctx, { type, hash, typed: undefined }),
};

/**
 * Cancels an email change when the user opens the link in the email to the old address. Only the Account pages call
 * this operation.
 */
export const cancelChange: Operation<LinkCall, void> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { hash }) => cancelEmailByLink(ctx, hash),
};

/** Verifies a link. Returns the URL to which the browser is redirected. */
export const verifyLink: Operation<LinkCall, string> = {
  guards: [limitByAddress('verify')],
  run(ctx, { caller, type, hash }) {
    if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
    if (hash === '') throw authError('validation_failed', 'Verify requires a token or a token hash');
    return followLink(ctx, caller, { type, hash, typed: undefined });
  },
};
