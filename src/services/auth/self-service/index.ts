/**
 * Provides sign-in and self-service for the Account pages. Runs the same operations as the routes under `/auth/v1`,
 * with the same checks, limits, errors and log entries (decision 40).
 */
import type { Observe } from '../../../base/kernel/service.ts';
import { changeOwnUser, readOwnUser } from '../account/routes.ts';
import {
  cancelChange,
  checkLink,
  recoverAccount,
  resendCode,
  sendCode,
  verifyLink,
  verifyTypedCode,
} from '../codes/routes.ts';
import type { JsonObject } from '../common/json.ts';
import { publicSettings } from '../common/public-settings.ts';
import { renderUser } from '../common/render-user.ts';
import type { AuthContext } from '../context.ts';
import { verifyOwnRecoveryCode } from '../factors/recovery-code-routes.ts';
import {
  cancelRemovalRequest,
  challengeOwnFactor,
  confirmRemovalLink,
  readOwnRemoval,
  readRemovalLink,
  renderChallenge,
  requestOwnRemoval,
  verifyOwnFactor,
} from '../factors/routes.ts';
import {
  decideOAuthAuthorization,
  openOAuthAuthorization,
  renderOpenedAuthorization,
} from '../oauth-server/routes.ts';
import { passkeyChallenge, passkeySignIn, renderPasskeyOptions } from '../passkeys/routes.ts';
import { identityLinking, providerSignIn } from '../providers/routes.ts';
import { readReversal, readUnlock, useReversal, useUnlock } from '../security-events/routes.ts';
import { renderFlowSession, renderPasswordSession, renderSession } from '../sessions/issued-session.ts';
import { endBrowserSessions, endedSession, endSessions } from '../sessions/routes.ts';
import { passwordGrant, pkceGrant, refreshGrant, walletGrant } from '../sign-in/routes.ts';
import { isNewAddress, signUpOperation } from '../sign-up/routes.ts';
import { ssoConnection, ssoJourney, ssoPolicy, ssoSignIn } from '../sso/routes.ts';
import { type Run, runnerFor } from './run.ts';
import type {
  AuthUser,
  OpenAuthorization,
  SelfService,
  TokenPair,
  UserOperations,
  VisitorOperations,
} from './types.ts';

export function createSelfService(ctx: AuthContext, observe: Observe): SelfService {
  return {
    settings: () => publicSettings(ctx.settings),
    keyOrigins: () => ctx.settings.relyingParty().origins,
    visitor: (client) => visitorOperations(runnerFor(ctx, observe, client, ctx.keys.anonKey)),
    user: (client, accessToken) => userOperations(runnerFor(ctx, observe, client, accessToken)),
  };
}

/** Loads the operations of organizations, which only some projects have. */
const ofOrganizations = () => import('../organizations/own-organizations.ts');

/** Loads the operations for the holders of setup links. */
const ofSetup = () => import('../organizations/connections/setup.ts');

const pairOf = (session: JsonObject): TokenPair => session as unknown as TokenPair;

/** Runs operations that don't require a session. */
function visitorOperations(run: Run): VisitorOperations {
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
      return session && { ...pairOf(renderSession(session)), was_prepared: session.wasPrepared };
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
    isNewAddress: (email) => run(isNewAddress, { email }),
    ssoPolicy: (domain) => run(ssoPolicy, { domain }),
    organizationInvitation: async (token) => run((await ofOrganizations()).readInvitation, { token }),
    readSetup: async (token) => run((await ofSetup()).readSetup, { token }),
    changeSetup: async (token, action) => run((await ofSetup()).changeSetup, { token, action }),
  };
}

/** Runs operations on behalf of a signed-in user. */
function userOperations(run: Run): UserOperations {
  return {
    async read() {
      const user = await run(readOwnUser, {});
      return { ...(renderUser(user) as unknown as AuthUser), has_password: Boolean(user.encrypted_password) };
    },
    async update(content) {
      await run(changeOwnUser, { content });
    },
    signOut: (scope) => run(endSessions, { scope }),
    signOutBrowsers: (scope) => run(endBrowserSessions, { scope }),
    async challengeFactor(factorId) {
      const input = { factorId, hasBody: true, content: {} };
      return renderChallenge(await run(challengeOwnFactor, input));
    },
    async verifyFactor(factorId, content) {
      return pairOf(renderSession(await run(verifyOwnFactor, { factorId, content })));
    },
    async verifyRecoveryCode(content) {
      return pairOf(renderSession(await run(verifyOwnRecoveryCode, { content })));
    },
    factorRemoval: () => run(readOwnRemoval, {}),
    requestFactorRemoval: () => run(requestOwnRemoval, {}),
    cancelFactorRemoval: () => run(cancelRemovalRequest, {}),
    async openAuthorization(id) {
      // `origin` is undefined because the Account pages have already checked the request's origin.
      const input = { id, origin: undefined };
      const opened = await run(openOAuthAuthorization, input);
      return renderOpenedAuthorization(opened) as unknown as OpenAuthorization;
    },
    decideAuthorization: (id, content) =>
      run(decideOAuthAuthorization, {
        id,
        origin: undefined,
        content,
      }),
    linkingAddress: (query) =>
      run(identityLinking, {
        query,
        redirectTo: query.get('redirect_to') ?? '',
      }),
    organizations: async () => run((await ofOrganizations()).readOwnOrganizations, {}),
    createOrganization: async (name) => run((await ofOrganizations()).createOrganization, { name }),
    async switchOrganization(id) {
      await run((await ofOrganizations()).switchOrganization, { id });
    },
    acceptInvitation: async (token) => run((await ofOrganizations()).acceptInvitation, { token }),
    async declineInvitation(key) {
      await run((await ofOrganizations()).declineInvitation, { key });
    },
    async requestToJoin(slug, message) {
      await run((await ofOrganizations()).requestToJoin, { slug, message });
    },
    joinOrganization: async (id) => run((await ofOrganizations()).joinByDomain, { id }),
    async withdrawRequest(id) {
      await run((await ofOrganizations()).withdrawRequest, { id });
    },
  };
}
