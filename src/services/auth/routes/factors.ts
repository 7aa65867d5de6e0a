/** Declares the routes under /factors, which enroll, challenge, verify and unenroll second factors. */
import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import { renderChallenge, renderEnrollment } from '../core/render-factor.ts';
import { requirePermanentUser } from '../flows/authenticate.ts';
import { enroll, requireFactor, unenroll } from '../flows/factors.ts';
import { limitChanges } from '../flows/limit-changes.ts';
import { retryOnConflict } from '../flows/retry-conflicts.ts';
import { challengeOwnFactor, verifyOwnFactor } from '../operations/factors.ts';
import type { Router } from './route.ts';

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
