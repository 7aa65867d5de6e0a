/** Runs operations on behalf of a signed-in user. */

import { changeOwnUser, endBrowserSessions, endSessions, readOwnUser } from '../account/operations.ts';
import { renderUser } from '../common/render-user.ts';
import { challengeOwnFactor, verifyOwnFactor, verifyOwnRecoveryCode } from '../factors/operations.ts';
import { cancelRemovalRequest, readOwnRemoval, requestOwnRemoval } from '../factors/removal-operations.ts';
import { renderChallenge } from '../factors/render.ts';
import { decideOAuthAuthorization, openOAuthAuthorization } from '../oauth-server/operations.ts';
import { renderOpenedAuthorization } from '../oauth-server/render-authorization.ts';
import { identityLinking } from '../providers/operations.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { get, post, type Run } from './run.ts';
import { type AuthUser, type OpenAuthorization, pairOf, type UserOperations } from './types.ts';

export function userOperations(run: Run): UserOperations {
  return {
    async read() {
      const user = await run(get('/user'), readOwnUser, {});
      return { ...(renderUser(user) as unknown as AuthUser), has_password: Boolean(user.encrypted_password) };
    },
    async update(content) {
      await run({ method: 'PUT', path: '/user' }, changeOwnUser, { content });
    },
    signOut: (scope) => run(post(`/logout?scope=${scope}`, 204), endSessions, { scope }),
    signOutBrowsers: (scope) => run(post('/logout', 204), endBrowserSessions, { scope }),
    async challengeFactor(factorId) {
      const input = { factorId, hasBody: true, content: {} };
      return renderChallenge(await run(post(`/factors/${factorId}/challenge`), challengeOwnFactor, input));
    },
    async verifyFactor(factorId, content) {
      const route = post(`/factors/${factorId}/verify`);
      return pairOf(renderSession(await run(route, verifyOwnFactor, { factorId, content })));
    },
    async verifyRecoveryCode(content) {
      const route = post('/factors/recovery-codes/verify');
      return pairOf(renderSession(await run(route, verifyOwnRecoveryCode, { content })));
    },
    factorRemoval: () => run(get('/user/security-events'), readOwnRemoval, {}),
    requestFactorRemoval: () => run(post('/user/security-events'), requestOwnRemoval, {}),
    cancelFactorRemoval: () => run(post('/user/security-events'), cancelRemovalRequest, {}),
    async openAuthorization(id) {
      // `origin` is undefined because the Account pages have already checked the request's origin.
      const input = { authorizationId: id, origin: undefined };
      const opened = await run(get(`/oauth/authorizations/${id}`), openOAuthAuthorization, input);
      return renderOpenedAuthorization(opened) as unknown as OpenAuthorization;
    },
    decideAuthorization: (id, content) =>
      run(post(`/oauth/authorizations/${id}/consent`), decideOAuthAuthorization, {
        authorizationId: id,
        origin: undefined,
        content,
      }),
    linkingAddress: (query) =>
      run(get('/user/identities/authorize'), identityLinking, {
        query,
        redirectTo: query.get('redirect_to') ?? '',
      }),
  };
}
