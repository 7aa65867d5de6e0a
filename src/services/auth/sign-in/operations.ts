/**
 * Implements the grants of POST /token. A grant doesn't require a captcha if its code or token comes from a request
 * that already required a captcha.
 */
import { barePhone } from '../common/contact.ts';
import type { Call, Operation } from '../common/operation.ts';
import { authError } from '../errors.ts';
import { requireCaptcha } from '../limits/captcha.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { signInWithIdToken } from '../providers/id-token.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { signInWithWallet } from '../wallets/sign-in.ts';
import { type RedeemedCode, redeemFlowCode } from './flow-codes.ts';
import { type PasswordSignIn, signInWithPassword } from './password.ts';

export const passwordGrant: Operation<Call, PasswordSignIn> = {
  signIn: 'password',
  guards: [requireCaptcha, limitByAddress('token')],
  run(ctx, { caller, body }) {
    const fields = body();
    return signInWithPassword(ctx, caller, {
      email: fields.text('email'),
      phone: barePhone(fields.text('phone')),
      password: fields.text('password'),
    });
  },
};

export const refreshGrant: Operation<Call, IssuedSession> = {
  signIn: 'refresh_token',
  guards: [limitByAddress('token')],
  run: (ctx, { caller, body }) => refreshSession(ctx, caller, body().text('refresh_token')),
};

export const pkceGrant: Operation<Call, RedeemedCode> = {
  signIn: 'pkce',
  guards: [limitByAddress('token')],
  run(ctx, { caller, body }) {
    const fields = body();
    return redeemFlowCode(ctx, caller, {
      code: fields.text('auth_code'),
      verifier: fields.text('code_verifier'),
    });
  },
};

export const idTokenGrant: Operation<Call, IssuedSession> = {
  signIn: 'id_token',
  guards: [limitByAddress('token')],
  run: (ctx, { caller, body }) => signInWithIdToken(ctx, caller, body()),
};

export const walletGrant: Operation<Call, IssuedSession> = {
  signIn: 'web3',
  guards: [requireCaptcha, limitByAddress('web3')],
  run: (ctx, { caller, body }) => signInWithWallet(ctx, caller, body),
};

export const unsupportedGrant: Operation<Call, never> = {
  guards: [requireCaptcha],
  run() {
    throw authError('invalid_credentials', 'unsupported_grant_type');
  },
};
