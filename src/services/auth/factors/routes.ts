/** Declares the routes under /factors, which enroll, challenge, verify and unenroll second factors. */

import { limitChanges } from '../common/limit-changes.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { requirePermanentUser } from '../sessions/authenticate.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { enroll, requireFactor, unenroll } from './factors.ts';
import { challengeOwnFactor, verifyOwnFactor } from './operations.ts';
import { renderChallenge, renderEnrollment } from './render.ts';

export function factorRoutes({ define, serve }: Router, ctx: AuthContext): void {
  define('POST', '/factors', async ({ caller, body }) => {
    await limitChanges(ctx, await requirePermanentUser(ctx, caller));
    // Each attempt reads the user's factors again.
    const attempt = async () => enroll(ctx, await requirePermanentUser(ctx, caller), body);
    return renderEnrollment(await retryOnConflict(attempt));
  });

  serve(
    'POST',
    '/factors/:factorId/challenge',
    challengeOwnFactor,
    renderChallenge,
    ({ params, hasBody }) => ({
      factorId: params.factorId ?? '',
      hasBody,
    }),
  );

  serve('POST', '/factors/:factorId/verify', verifyOwnFactor, renderSession, ({ params }) => ({
    factorId: params.factorId ?? '',
  }));

  define('DELETE', '/factors/:factorId', async ({ caller, params }) => {
    const self = await limitChanges(ctx, await requirePermanentUser(ctx, caller));
    const factor = await requireFactor(ctx, params.factorId ?? '', self.user.id);
    await unenroll(ctx, self, factor);
    return { id: factor.id };
  });
}
