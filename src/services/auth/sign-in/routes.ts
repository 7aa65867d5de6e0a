/**
 * Declares POST /token, which issues sessions for a password, a refresh token, a PKCE code, an ID token or a wallet's
 * signature. A grant doesn't require a captcha if its code or token comes from a request that already required one.
 */
import { barePhone } from '../common/contact.ts';
import type { Call, Operation } from '../common/operation.ts';
import { authError } from '../errors.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress, requireCaptcha } from '../limits/guards.ts';
import { signInWithIdToken } from '../providers/id-token.ts';
import {
  type IssuedSession,
  renderFlowSession,
  renderPasswordSession,
  renderSession,
} from '../sessions/issued-session.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { signInWithWallet } from '../wallets/sign-in.ts';
import { type RedeemedCode, redeemFlowCode } from './flow-codes.ts';
import { type PasswordSignIn, signInWithPassword } from './password.ts';

export function tokenRoutes(route: Route): void {
  route(passwordGrant, { render: renderPasswordSession });
  route(refreshGrant, { render: renderSession });
  route(pkceGrant, { render: renderFlowSession });
  route(idTokenGrant, { render: renderSession });
  route(walletGrant, { render: renderSession });
  route(unsupportedGrant);
}

export const passwordGrant: Operation<Call, PasswordSignIn> = {
  on: 'POST /token?grant_type=password',
  guards: [requireCaptcha, limitByAddress('token')],
  signIn: 'password',
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
  on: 'POST /token?grant_type=refresh_token',
  guards: [limitByAddress('token')],
  signIn: 'refresh_token',
  run: (ctx, { caller, body }) => refreshSession(ctx, caller, body().text('refresh_token')),
};

export const pkceGrant: Operation<Call, RedeemedCode> = {
  on: 'POST /token?grant_type=pkce',
  guards: [limitByAddress('token')],
  signIn: 'pkce',
  run(ctx, { caller, body }) {
    const fields = body();
    return redeemFlowCode(ctx, caller, {
      code: fields.text('auth_code'),
      verifier: fields.text('code_verifier'),
    });
  },
};

const idTokenGrant: Operation<Call, IssuedSession> = {
  on: 'POST /token?grant_type=id_token',
  guards: [limitByAddress('token')],
  signIn: 'id_token',
  run: (ctx, { caller, body }) => signInWithIdToken(ctx, caller, body()),
};

export const walletGrant: Operation<Call, IssuedSession> = {
  on: 'POST /token?grant_type=web3',
  guards: [requireCaptcha, limitByAddress('web3')],
  signIn: 'web3',
  run: (ctx, { caller, body }) => signInWithWallet(ctx, caller, body),
};

const unsupportedGrant: Operation<Call, never> = {
  on: 'POST /token',
  guards: [requireCaptcha],
  run() {
    throw authError('invalid_credentials', 'unsupported_grant_type');
  },
};
