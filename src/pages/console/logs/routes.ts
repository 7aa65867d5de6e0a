import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { setGatewayHeaders } from '../../../base/kernel/http.ts';
import { attachment } from '../../../base/shared/http/header-text.ts';
import type { GroupView } from '../../../platform/group/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { LogEntry, Telemetry } from '../../../platform/telemetry/types.ts';
import type { Audit } from '../audit.ts';
import type { Parsed } from '../core/contract.ts';
import { disconnected } from '../core/disconnect.ts';
import { createEventStreams } from '../event-stream.ts';
import { createRedact, masks, redactAll } from '../functions/redact.ts';
import type { NodeLogs } from '../nodes/logs.ts';
import { cursorText, type NodeLogEntry, stopsText } from '../nodes/merge-logs.ts';
import { questions } from '../nodes/questions.ts';
import { followOthers } from '../nodes/tails.ts';
import type { Api } from '../routes/api.ts';
import type { contract, HistoryMark } from './contract.ts';
import { exportEntries } from './export.ts';
import { maxRecentMinutes, metricsCsv, stepsOf } from './metrics.ts';

export interface LogDeps {
  readonly telemetry: Pick<Telemetry, 'follow'>;
  readonly view: GroupView;
  readonly logs: NodeLogs;
  readonly keys: Keys;
  readonly audit: Audit;
  /** Returns the deployments, migrations and starts since a time. */
  readonly marks: (since: number) => Promise<readonly HistoryMark[]>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

type RangeQuery = Parsed<(typeof contract)['GET /logs/chart'], 'query'>;

const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const;
const exportPage = 500;

export function logRoutes(
  app: FastifyInstance,
  api: Api,
  { telemetry, view, logs, keys, audit, marks, now }: LogDeps,
): void {
  const redact = createRedact(keys);
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());
  const route = api.feature(() => import('./contract.ts'));
  /** Masks secrets, because the output of functions can contain them. */
  const clean = <T>(value: T): T => redactAll(value, redact);

  route('GET /logs', 'read', async (call) => {
    const { limit, cursor, sort, node: only, ...filter } = await call.query();
    const {
      entries,
      next,
      searchedTo = null,
      nodes,
    } = await logs.list(filter, { limit, cursor, only, sort });
    return { ...clean({ entries }), next: next === undefined ? null : cursorText(next), searchedTo, nodes };
  });
  const requestOf = ({ node: only, since, until = now(), next: stops, ...filter }: RangeQuery) => ({
    ...{ filter, only, stops },
    range: { since, until },
  });
  const positionOf = (stops: ReadonlyMap<string, number>) => ({
    next: stops.size === 0 ? null : stopsText(stops),
    searchedTo: stops.size === 0 ? null : Math.max(...stops.values()),
  });
  route('GET /logs/chart', 'read', async (call) => {
    const { stops, ...counts } = await logs.counts(requestOf(await call.query()));
    return { ...counts, ...positionOf(stops) };
  });
  route('GET /logs/failures', 'read', async (call) => {
    const { stops, groups, ...failures } = await logs.failures(requestOf(await call.query()));
    return { ...failures, ...clean({ groups }), ...positionOf(stops) };
  });
  route('GET /logs/export', 'read', async (call) => {
    const { node: only, format, until = now(), ...filter } = await call.query();
    const signal = disconnected(call.reply.raw);
    await audit(call, 'log.export', '', { format });
    const file = Readable.from(
      exportEntries((cursor) => logs.list({ ...filter, until }, { limit: exportPage, cursor, only }), {
        format,
        clean,
        signal,
      }),
    );
    return call.reply
      .headers({ 'content-type': contentTypes[format], 'content-disposition': attachment(`logs.${format}`) })
      .send(file);
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
            ? telemetry.follow({ ...filter, shown: redact, masks }, own)
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
  async function requestsOf(minutes: number, node: string | undefined) {
    if (minutes <= maxRecentMinutes) return await logs.metrics(minutes * 60_000, node);
    const { requests, nodes } = await logs.metricHistory(stepsOf(minutes, now()), node);
    return { ...requests, nodes };
  }
  route('GET /metrics', 'read', async ({ query }) => {
    const { minutes, node } = await query();
    return requestsOf(minutes, node);
  });
  route('GET /metrics/load', 'read', async ({ query }) => {
    const { minutes, node } = await query();
    const range = stepsOf(minutes, now());
    const [{ gauges, nodes }, shown] = await Promise.all([
      logs.metricHistory(range, node),
      // Charts are also needed while the database doesn't respond.
      marks(range.start).catch(() => []),
    ]);
    return { ...gauges, marks: shown, nodes };
  });
  route('GET /metrics/export', 'read', async ({ query, reply }) => {
    const { minutes, node } = await query();
    const range = stepsOf(minutes, now());
    const [requests, { gauges }] = await Promise.all([
      requestsOf(minutes, node),
      logs.metricHistory(range, node),
    ]);
    return reply
      .headers({ 'content-type': contentTypes.csv, 'content-disposition': attachment('metrics.csv') })
      .send(metricsCsv(requests, gauges));
  });
}
