/** Declares the routes for organizations, which upstream doesn't have. */
import type { Route } from '../http/route.ts';
import { inviteByEmail } from './invite.ts';
import { organizationSsoRoutes } from './sso-routes.ts';

export function organizationRoutes(route: Route): void {
  route(inviteByEmail, { render: (invited) => invited });
  organizationSsoRoutes(route);
}
