/** Runs operations that don't require a session. */

import { recoverAccount, resendCode, sendCode } from '../codes/operations.ts';
import { cancelChange, checkLink, verifyLink, verifyTypedCode } from '../codes/verify-operations.ts';
import { confirmRemovalLink, readRemovalLink } from '../factors/removal-operations.ts';
import { passkeyChallenge, passkeySignIn } from '../passkeys/operations.ts';
import { renderPasskeyOptions } from '../passkeys/render.ts';
import { providerSignIn, ssoConnection, ssoJourney, ssoPolicy, ssoSignIn } from '../providers/operations.ts';
import { readReversal, readUnlock, useReversal, useUnlock } from '../security-events/operations.ts';
import { endedSession } from '../sessions/ended-session.ts';
import { renderFlowSession, renderPasswordSession, renderSession } from '../sessions/issued-session.ts';
import { passwordGrant, pkceGrant, refreshGrant, walletGrant } from '../sign-in/operations.ts';
import { signUpOperation } from '../sign-up/operations.ts';
import { get, post, type Run } from './run.ts';
import { pairOf, type VisitorOperations } from './types.ts';

export function visitorOperations(run: Run): VisitorOperations {
  return {
    signInWithPassword: async (content) =>
      pairOf(
        renderPasswordSession(await run(post('/token?grant_type=password'), passwordGrant, { content })),
      ),
    signInWithWallet: async (content) =>
      pairOf(renderSession(await run(post('/token?grant_type=web3'), walletGrant, { content }))),
    passkeyOptions: async (content) =>
      renderPasskeyOptions(
        await run(post('/passkeys/authentication/options'), passkeyChallenge, { content }),
      ),
    signInWithPasskey: async (content) =>
      pairOf(renderSession(await run(post('/passkeys/authentication/verify'), passkeySignIn, { content }))),
    async redeemCode(code, verifier) {
      const content = { auth_code: code, code_verifier: verifier };
      return pairOf(renderFlowSession(await run(post('/token?grant_type=pkce'), pkceGrant, { content })));
    },
    async refresh(refreshToken) {
      const content = { refresh_token: refreshToken };
      return pairOf(
        renderSession(await run(post('/token?grant_type=refresh_token'), refreshGrant, { content })),
      );
    },
    async signUp(content) {
      const outcome = await run(post('/signup'), signUpOperation, { content });
      return outcome.kind === 'session' ? pairOf(renderSession(outcome.session)) : undefined;
    },
    async signUpAsGuest({ gotrue_meta_security }) {
      // A sign-up without an email address or phone number creates a guest, who gets a session immediately.
      const outcome = await run(post('/signup'), signUpOperation, { content: { gotrue_meta_security } });
      if (outcome.kind !== 'session') throw new Error('a guest was created without a session');
      return pairOf(renderSession(outcome.session));
    },
    async sendCode(content) {
      await run(post('/otp'), sendCode, { content });
    },
    async resendCode(content) {
      await run(post('/resend'), resendCode, { content });
    },
    sendRecovery: (content) => run(post('/recover'), recoverAccount, { content }),
    async verifyCode(content) {
      const session = await run(post('/verify'), verifyTypedCode, { content });
      return session && pairOf(renderSession(session));
    },
    followLink: ({ type, token, redirectTo }) =>
      run(get('/verify', 303), verifyLink, { type, hash: token, redirectTo }),
    cancelEmailChange: (token) =>
      run({ method: 'DELETE', path: '/user/email_change', status: 204 }, cancelChange, {
        type: 'email_change',
        hash: token,
      }),
    readReversal: (token) => run(get('/user/security-events'), readReversal, { token }),
    readUnlock: (token) => run(get('/user/security-events'), readUnlock, { token }),
    explainEnding: (ended) => run(get('/user/sessions'), endedSession, ended),
    unlock: (token) => run(post('/user/security-events'), useUnlock, { token }),
    reverse: (token) => run(post('/user/security-events'), useReversal, { token }),
    readFactorRemoval: (token) => run(get('/user/security-events'), readRemovalLink, { token }),
    confirmFactorRemoval: (token) => run(post('/user/security-events'), confirmRemovalLink, { token }),
    checkLink: ({ type, token }) => run(get('/verify'), checkLink, { type, hash: token }),
    providerAddress: (query) =>
      run(get('/authorize', 302), providerSignIn, { query, redirectTo: query.get('redirect_to') ?? '' }),
    ssoAddress: (content) => run(post('/sso'), ssoSignIn, { content }),
    ssoJourney: (content) => run(post('/sso'), ssoJourney, { content }),
    ssoConnection: (id) => run(post('/sso'), ssoConnection, { id }),
    ssoPolicy: (domain) => run(post('/sso'), ssoPolicy, { domain }),
  };
}
