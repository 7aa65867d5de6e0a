/** Declares POST /organizations/invitations, which upstream doesn't have. */
import type { Route } from '../http/route.ts';
import { inviteByEmail } from './invite.ts';

export function organizationRoutes(route: Route): void {
  route(inviteByEmail, { render: (invited) => invited });
}
