/** Limits requests by the client's IP address. */
import type { LimitedHandler } from '../core/rate-limit-rules.ts';
import type { Guard } from './operation.ts';

/** Returns a guard that throws `over_request_rate_limit` if the client's IP address exceeds the handler's limit. */
export const limitByAddress =
  (handler: LimitedHandler): Guard =>
  (ctx, { caller }) =>
    ctx.limits.address(handler, caller.ip, ctx.clock.now());
