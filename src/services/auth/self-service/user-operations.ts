/** Runs operations on behalf of a signed-in user. */

import { changeOwnUser, endBrowserSessions, endSessions, readOwnUser } from '../account/operations.ts';
import { renderUser } from '../common/render-user.ts';
import { challengeOwnFactor, verifyOwnFactor, verifyOwnRecoveryCode } from '../factors/operations.ts';
import { cancelRemovalRequest, readOwnRemoval, requestOwnRemoval } from '../factors/removal-operations.ts';
import { renderChallenge } from '../factors/routes.ts';
import { decideOAuthAuthorization, openOAuthAuthorization } from '../oauth-server/operations.ts';
import { renderOpenedAuthorization } from '../oauth-server/routes.ts';
import { identityLinking } from '../providers/operations.ts';
import { renderSession } from '../sessions/issued-session.ts';
import type { Run } from './run.ts';
import { type AuthUser, type OpenAuthorization, pairOf, type UserOperations } from './types.ts';

export function userOperations(run: Run): UserOperations {
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
  };
}
