/** DELETE /user/identities/:id. */
import type { AuthContext } from '../context.ts';
import { requireUser } from '../flows/authenticate.ts';
import { unlinkIdentity } from '../flows/identities.ts';
import type { Define } from './route.ts';

export function identityRoutes(define: Define, ctx: AuthContext): void {
  define('DELETE', '/user/identities/:id', async ({ caller, params }) => {
    await unlinkIdentity(ctx, await requireUser(ctx, caller), params.id ?? '');
    return {};
  });
}
