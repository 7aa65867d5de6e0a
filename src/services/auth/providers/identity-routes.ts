/** Declares DELETE /user/identities/:id. */

import { limitChanges } from '../common/limit-changes.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { requireUser } from '../sessions/authenticate.ts';
import { unlinkIdentity } from './identities.ts';

export function identityRoutes({ define }: Router, ctx: AuthContext): void {
  define('DELETE', '/user/identities/:id', async ({ caller, params }) => {
    const self = await limitChanges(ctx, await requireUser(ctx, caller));
    await unlinkIdentity(ctx, self, params.id ?? '');
    return {};
  });
}
