/** Declares GET /user/security-events, which upstream doesn't have, for the timeline of the caller's account. */

import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { renderEvent } from './events.ts';
import { listUserEvents } from './record.ts';

export function securityEventRoutes({ define }: Router, ctx: AuthContext): void {
  define('GET', '/user/security-events', async ({ caller, query, reply }) => {
    const { user } = await requirePerson(ctx, caller);
    const limit = query.get('limit');
    const { events, next } = await listUserEvents(ctx, user.id, {
      before: query.get('before') ?? undefined,
      ...(limit === null ? {} : { limit: Number(limit) }),
    });
    reply.header('cache-control', 'no-store');
    return { events: events.map(renderEvent), next };
  });
}
