/** GET and PUT /user, GET /reauthenticate. */
import type { AuthContext } from '../context.ts';
import { renderUser } from '../core/render-user.ts';
import { authError } from '../errors.ts';
import { audienceOf, firstAudience } from '../flows/audience.ts';
import { requireCaller, requireUser } from '../flows/authenticate.ts';
import { updateOwnUser } from '../flows/own-user.ts';
import { reauthenticate } from '../flows/reauthenticate.ts';
import { retryOnConflict } from '../flows/retry-conflicts.ts';
import type { Define, Handler } from './route.ts';

export function userRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/user', async ({ caller }) => {
    const { claims, user } = await requireCaller(ctx, caller);
    if (audienceOf(ctx, caller, claims) !== firstAudience(claims)) {
      throw authError('validation_failed', "Token audience doesn't match request audience");
    }
    return renderUser(user);
  });

  const update: Handler = ({ caller, body }) =>
    retryOnConflict(async () => {
      const self = await requireUser(ctx, caller);
      await updateOwnUser(ctx, self, body());
      return renderUser(self.user);
    });
  define('PUT', '/user', update, { limit: 'user' });

  define('GET', '/reauthenticate', async ({ caller }) => {
    const messageId = await reauthenticate(ctx, await requireUser(ctx, caller));
    return messageId === undefined ? {} : { message_id: messageId };
  });
}
