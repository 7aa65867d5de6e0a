/**
 * Provides sign-in and self-service for the Account pages. Runs the same operations as the routes under `/auth/v1`,
 * with the same checks, limits, errors and log entries (decision 40).
 */
import type { Observe } from '../../../base/kernel/service.ts';
import { publicSettings } from '../common/public-settings.ts';
import type { AuthContext } from '../context.ts';
import { runnerFor } from './run.ts';
import type { SelfService } from './types.ts';
import { userOperations } from './user-operations.ts';
import { visitorOperations } from './visitor-operations.ts';

export function createSelfService(ctx: AuthContext, observe: Observe): SelfService {
  return {
    settings: () => publicSettings(ctx.settings),
    visitor: (client) => visitorOperations(runnerFor(ctx, observe, client, ctx.keys.anonKey)),
    user: (client, accessToken) => userOperations(runnerFor(ctx, observe, client, accessToken)),
  };
}
