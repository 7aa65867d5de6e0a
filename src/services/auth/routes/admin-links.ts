/** Declares POST /invite and /admin/generate_link. */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { renderUser } from '../core/render-user.ts';
import { type GeneratedLink, generateLink, invite } from '../flows/admin-links.ts';
import { requireAdmin } from '../flows/authenticate.ts';
import { retryOnConflict } from '../flows/retry-conflicts.ts';
import type { Router } from './route.ts';

export function adminLinkRoutes({ define }: Router, ctx: AuthContext): void {
  define('POST', '/invite', async ({ caller, body }) => {
    const admin = await requireAdmin(ctx, caller);
    return renderUser(await retryOnConflict(() => invite(ctx, admin, body())));
  });

  define('POST', '/admin/generate_link', async ({ caller, body }) => {
    const admin = await requireAdmin(ctx, caller);
    return renderLink(await retryOnConflict(() => generateLink(ctx, admin, body())));
  });
}

function renderLink(link: GeneratedLink): JsonObject {
  return {
    ...renderUser(link.user),
    action_link: link.actionLink,
    email_otp: link.otp,
    hashed_token: link.hashedToken,
    verification_type: link.type,
    redirect_to: link.redirectTo,
  };
}
