/** Limits requests by the client's IP address. */
import type { LimitedHandler } from '../core/rate-limit-rules.ts';
import type { Guard } from './operation.ts';

/** Returns a guard that throws `over_request_rate_limit`. */
export const limitByAddress =
  (handler: LimitedHandler): Guard =>
  (ctx, { caller }) =>
    ctx.limits.address(handler, caller.ip, ctx.clock.now());
