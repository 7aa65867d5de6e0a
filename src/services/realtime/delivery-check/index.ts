/** Creates the service's delivery checks, whose results include the number of connected channels. */
import type { Database } from '../../../platform/database/types.ts';
import type { SocketContext } from '../socket/context.ts';
import type { DeliveryChecks, Persona } from '../types.ts';
import { checkBroadcast } from './broadcast.ts';
import { checkChange } from './change.ts';

export function createDeliveryChecks(database: Database, ctx: SocketContext): DeliveryChecks {
  const { events, clock, uptime, permissions, connections } = ctx;
  const now = (): number => clock.now();
  const deps = {
    pool: () => database.pool('supabase_realtime_admin'),
    ownerPool: () => database.pool('postgres'),
    now,
    permissions,
    get limits() {
      return ctx.limits;
    },
    rate: () =>
      ctx.limits.maxEventsPerSecond === Number.POSITIVE_INFINITY
        ? undefined
        : { perSecond: events.perSecond(uptime()), limit: ctx.limits.maxEventsPerSecond },
  };

  const connected = ({ role, claims }: Persona): number => {
    let count = 0;
    for (const { channels } of connections) {
      for (const { token } of channels.values()) {
        if (token.caller?.role === role && token.caller.claims.sub === claims.sub) count++;
      }
    }
    return count;
  };

  return {
    checkChange: async (question) => ({
      ...(await checkChange(deps, question)),
      connected: connected(question.subscriber),
    }),
    checkBroadcast: async (question) => ({
      ...(await checkBroadcast(deps, question)),
      connected: connected(question.subscriber),
    }),
  };
}
