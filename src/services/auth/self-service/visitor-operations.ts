/** Runs operations that don't require a session. */

import { recoverAccount, resendCode, sendCode } from '../codes/operations.ts';
import { cancelChange, checkLink, verifyLink, verifyTypedCode } from '../codes/verify-operations.ts';
import { confirmRemovalLink, readRemovalLink } from '../factors/removal-operations.ts';
import { passkeyChallenge, passkeySignIn } from '../passkeys/operations.ts';
import { renderPasskeyOptions } from '../passkeys/routes.ts';
import { providerSignIn, ssoConnection, ssoJourney, ssoPolicy, ssoSignIn } from '../providers/operations.ts';
import { readReversal, readUnlock, useReversal, useUnlock } from '../security-events/operations.ts';
import { endedSession } from '../sessions/ended-session.ts';
import { renderFlowSession, renderPasswordSession, renderSession } from '../sessions/issued-session.ts';
import { passwordGrant, pkceGrant, refreshGrant, walletGrant } from '../sign-in/operations.ts';
import { signUpOperation } from '../sign-up/operations.ts';
import type { Run } from './run.ts';
import { pairOf, type VisitorOperations } from './types.ts';

export function visitorOperations(run: Run): VisitorOperations {
  return {
    signInWithPassword: async (content) =>
      pairOf(renderPasswordSession(await run(passwordGrant, { content }))),
    signInWithWallet: async (content) => pairOf(renderSession(await run(walletGrant, { content }))),
    passkeyOptions: async (content) => renderPasskeyOptions(await run(passkeyChallenge, { content })),
    signInWithPasskey: async (content) => pairOf(renderSession(await run(passkeySignIn, { content }))),
    async redeemCode(code, verifier) {
      const content = { auth_code: code, code_verifier: verifier };
      return pairOf(renderFlowSession(await run(pkceGrant, { content })));
    },
    async refresh(refreshToken) {
      const content = { refresh_token: refreshToken };
      return pairOf(renderSession(await run(refreshGrant, { content })));
    },
    async signUp(content) {
      const outcome = await run(signUpOperation, { content });
      return outcome.kind === 'session' ? pairOf(renderSession(outcome.session)) : undefined;
    },
    async signUpAsGuest({ gotrue_meta_security }) {
      // A sign-up without an email address or phone number creates a guest, who gets a session immediately.
      const outcome = await run(signUpOperation, { content: { gotrue_meta_security } });
      if (outcome.kind !== 'session') throw new Error('a guest was created without a session');
      return pairOf(renderSession(outcome.session));
    },
    async sendCode(content) {
      await run(sendCode, { content });
    },
    async resendCode(content) {
      await run(resendCode, { content });
    },
    sendRecovery: (content) => run(recoverAccount, { content }),
    async verifyCode(content) {
      const session = await run(verifyTypedCode, { content });
      return session && pairOf(renderSession(session));
    },
    followLink: ({ type, token, redirectTo }) => run(verifyLink, { type, hash: token, redirectTo }),
    cancelEmailChange: (token) =>
      run(cancelChange, {
        type: 'email_change',
        hash: token,
      }),
    readReversal: (token) => run(readReversal, { token }),
    readUnlock: (token) => run(readUnlock, { token }),
    explainEnding: (ended) => run(endedSession, ended),
    unlock: (token) => run(useUnlock, { token }),
    reverse: (token) => run(useReversal, { token }),
    readFactorRemoval: (token) => run(readRemovalLink, { token }),
    confirmFactorRemoval: (token) => run(confirmRemovalLink, { token }),
    checkLink: ({ type, token }) => run(checkLink, { type, hash: token }),
    providerAddress: (query) => run(providerSignIn, { query, redirectTo: query.get('redirect_to') ?? '' }),
    ssoAddress: (content) => run(ssoSignIn, { content }),
    ssoJourney: (content) => run(ssoJourney, { content }),
    ssoConnection: (id) => run(ssoConnection, { id }),
    ssoPolicy: (domain) => run(ssoPolicy, { domain }),
  };
}
