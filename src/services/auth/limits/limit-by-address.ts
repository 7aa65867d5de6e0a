/** Limits the number of requests from each IP address. */

import type { Guard } from '../common/operation.ts';
import type { LimitedHandler } from './rate-limit-rules.ts';

/**
 * Returns a guard that throws `over_request_rate_limit` if requests from the client's IP address exceed the handler's
 * limit.
 */
export const limitByAddress =
  (handler: LimitedHandler): Guard =>
  (ctx, { caller }) =>
    ctx.limits.address(handler, caller.ip, ctx.clock.now());
