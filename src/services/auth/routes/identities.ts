/** Declares DELETE /user/identities/:id. */
import type { AuthContext } from '../context.ts';
import { requireUser } from '../flows/authenticate.ts';
import { unlinkIdentity } from '../flows/identities.ts';
import { limitChanges } from '../flows/limit-changes.ts';
import type { Router } from './route.ts';

export function identityRoutes({ define }: Router, ctx: AuthContext): void {
  define('DELETE', '/user/identities/:id', async ({ caller, params }) => {
    const self = await limitChanges(ctx, await requireUser(ctx, caller));
    await unlinkIdentity(ctx, self, params.id ?? '');
    return {};
  });
}
