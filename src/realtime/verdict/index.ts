/** Creates the service's verdicts, including the number of connected channels. */
import type { Database } from '../../database/types.ts';
import type { SocketContext } from '../socket/context.ts';
import type { Persona, Verdicts } from '../types.ts';
import { checkBroadcast } from './broadcast.ts';
import { checkChange } from './change.ts';

export function createVerdicts(database: Database, context: SocketContext): Verdicts {
  const { limits, events, clock, uptime, rights, connections } = context;
  const now = (): number => clock.now();
  const deps = {
    pool: () => database.pool('supabase_realtime_admin'),
    ownerPool: () => database.pool('postgres'),
    now,
    rights,
    limits,
    rate: () =>
      limits.maxEventsPerSecond === Number.POSITIVE_INFINITY
        ? undefined
        : { perSecond: events.perSecond(uptime()), limit: limits.maxEventsPerSecond },
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
    ofChange: async (question) => ({
      ...(await checkChange(deps, question)),
      connected: connected(question.subscriber),
    }),
    ofBroadcast: async (question) => ({
      ...(await checkBroadcast(deps, question)),
      connected: connected(question.subscriber),
    }),
  };
}
