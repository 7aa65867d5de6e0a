/** Implements POST and GET /verify, which verify typed codes and links. */
import type { IssuedSession } from '../core/issued-session.ts';
import { parseVerifyRequest } from '../core/verify-request.ts';
import { authError } from '../errors.ts';
import { followLink, verifyCode } from '../flows/verify-sign-in.ts';
import { limitByAddress } from './limit-by-address.ts';
import type { Call, Operation } from './operation.ts';

/** Returns undefined if an email change still requires confirmation at the other address. */
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

/** Returns the address to which the browser is redirected. */
export const verifyLink: Operation<LinkCall, string> = {
  guards: [limitByAddress('verify')],
  run(ctx, { caller, type, hash }) {
    if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
    if (hash === '') throw authError('validation_failed', 'Verify requires a token or a token hash');
    return followLink(ctx, caller, { type, hash, typed: undefined });
  },
};
