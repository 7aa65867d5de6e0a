/** /factors: enroll, challenge, verify, unenroll. */
import type { UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import { refuseAnonymous, requireUser } from '../flows/authenticate.ts';
import { challengeFactor, verifyFactor } from '../flows/factor-challenges.ts';
import { enroll, requireFactor, unenroll } from '../flows/factors.ts';
import { retryOnConflict } from '../flows/retry-conflicts.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Factor } from '../rows.ts';
import type { Define, Handler } from './route.ts';

export function factorRoutes(define: Define, ctx: AuthContext): void {
  const enter = async ({ caller }: Exchange): Promise<UserCaller> => {
    const user = await requireUser(ctx, caller);
    refuseAnonymous(user.claims);
    return user;
  };
  const enterWithFactor = async (exchange: Exchange): Promise<[UserCaller, Factor]> => {
    const caller = await enter(exchange);
    return [caller, await requireFactor(ctx, exchange.params.factorId ?? '', caller.user.id)];
  };

  define('POST', '/factors', async (exchange) => {
    const caller = await enter(exchange);
    return retryOnConflict(() => enroll(ctx, caller, exchange.body));
  });

  const challenge: Handler = async (exchange) => {
    const [caller, factor] = await enterWithFactor(exchange);
    return challengeFactor(ctx, caller, factor, { isEmpty: !exchange.hasBody, read: exchange.body });
  };
  define('POST', '/factors/:factorId/challenge', challenge, { limit: 'factor_challenge' });

  const verify: Handler = async (exchange) => {
    const [caller, factor] = await enterWithFactor(exchange);
    return renderSession(await verifyFactor(ctx, caller, factor, exchange.body()));
  };
  define('POST', '/factors/:factorId/verify', verify, { limit: 'factor_verify' });

  define('DELETE', '/factors/:factorId', async (exchange) => {
    const [caller, factor] = await enterWithFactor(exchange);
    await unenroll(ctx, caller, factor);
    return { id: factor.id };
  });
}
