/** Declares POST /invite and /admin/generate_link. */

import type { JsonObject } from '../common/json.ts';
import { renderUser } from '../common/render-user.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { Route } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import { type GeneratedLink, generateLink, invite } from './links.ts';

export function adminLinkRoutes(route: Route): void {
  route({
    on: 'POST /invite',
    async run(ctx, { caller, body }) {
      const admin = await requireAdmin(ctx, caller);
      return renderUser(await retryOnConflict(() => invite(ctx, admin, body())));
    },
  });

  route({
    on: 'POST /admin/generate_link',
    async run(ctx, { caller, body }) {
      const admin = await requireAdmin(ctx, caller);
      return renderLink(await retryOnConflict(() => generateLink(ctx, admin, body())));
    },
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
