import type { FastifyInstance } from 'fastify';
import { setGatewayHeaders } from '../../../base/kernel/http.ts';
import type { GroupView } from '../../../platform/group/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { LogEntry, Telemetry } from '../../../platform/telemetry/types.ts';
import { createEventStreams } from '../event-stream.ts';
import { createRedact, redactAll } from '../functions/redact.ts';
import type { NodeLogs } from '../nodes/logs.ts';
import { cursorText, type NodeLogEntry } from '../nodes/merge-logs.ts';
import { questions } from '../nodes/questions.ts';
import { followOthers } from '../nodes/tails.ts';
import type { Api } from '../routes/api.ts';

export interface LogDeps {
  readonly telemetry: Pick<Telemetry, 'follow'>;
  readonly view: GroupView;
  readonly logs: NodeLogs;
  readonly keys: Keys;
}

export function logRoutes(app: FastifyInstance, api: Api, { telemetry, view, logs, keys }: LogDeps): void {
  const redact = createRedact(keys);
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());
  const route = api.feature(() => import('./contract.ts'));
  /** Masks secrets, because the output of functions can contain them. */
  const clean = <T>(value: T): T => redactAll(value, redact);

  route('GET /logs', 'read', async (call) => {
    const { limit, cursor, node: only, ...filter } = await call.query();
    const { entries, next, nodes } = await logs.list(filter, { limit, cursor, only });
    return { ...clean({ entries }), next: next === undefined ? null : cursorText(next), nodes };
  });
  route('GET /logs/tail', 'read', async ({ query, reply, authorize }) => {
    const { node: only, ...filter } = await query();
    const all = await view.nodes().catch(() => []);
    const ownName = all.length > 1 ? all.find(({ id }) => id === view.self)?.name : undefined;
    setGatewayHeaders(reply);
    streams.open(
      reply.raw,
      (send) => {
        const tell = (entry: NodeLogEntry): void => send(JSON.stringify(clean(entry)));
        const own = (entry: LogEntry): void =>
          tell(ownName === undefined ? entry : { ...entry, node: ownName });
        const unfollow =
          only === undefined || only === view.self
            ? telemetry.follow({ ...filter, shown: redact }, own)
            : undefined;
        const unfollowOthers = followOthers<LogEntry>(view, {
          question: questions.tail,
          filter,
          only,
          onEntry: (entry, node) => tell({ ...entry, node: node.name }),
        });
        return () => {
          unfollow?.();
          unfollowOthers();
        };
      },
      authorize,
    );
    return reply.hijack();
  });
  route('GET /logs/requests/:id', 'read', async ({ params }) =>
    clean({ entries: await logs.trace(params.id) }),
  );
  route('GET /metrics', 'read', async ({ query }) => {
    const { minutes, node } = await query();
    return await logs.metrics(minutes * 60_000, node);
  });
}
