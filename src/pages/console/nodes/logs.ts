/** Reads the logs and the metrics of all nodes. */
import type { GroupView } from '../../../platform/group/types.ts';
import type {
  LogEntry,
  LogFilter,
  LogPage,
  MetricsReport,
  Telemetry,
} from '../../../platform/telemetry/types.ts';
import { type Asked, askNodes } from './ask.ts';
import type { AskedNodes } from './contract.ts';
import { cursorOf, mergePages, type NodeLogEntry, type NodesCursor } from './merge-logs.ts';
import { questions } from './questions.ts';

export interface NodeLogs {
  list(
    filter: Omit<LogFilter, 'shown'>,
    page: {
      readonly limit: number;
      readonly cursor: NodesCursor | undefined;
      readonly only: string | undefined;
    },
  ): Promise<{
    readonly entries: readonly NodeLogEntry[];
    readonly next: NodesCursor | undefined;
    readonly nodes: AskedNodes;
  }>;
  /** Returns all entries of a request, oldest first. Several nodes can have entries, for example of a function. */
  trace(requestId: string): Promise<readonly NodeLogEntry[]>;
  /** Adds up the requests of all nodes, or returns those of a single node. */
  metrics(rangeMs: number, only?: string): Promise<MetricsReport & { readonly nodes: AskedNodes }>;
}

export function createNodeLogs(view: GroupView, telemetry: Pick<Telemetry, 'mergedMetrics'>): NodeLogs {
  return {
    async list(filter, { limit, cursor, only }) {
      // Each node has its own position, so each node is asked separately, at the same time.
      const known = cursor === undefined ? undefined : await view.nodes().catch(() => undefined);
      const asked =
        known === undefined
          ? await askNodes<LogPage>(view, [questions.logs, { filter, limit }], only)
          : await askEach(view, { filter, limit, cursor }, wanted(known, only));
      const { entries, next } = mergePages(asked.values, limit, cursor);
      return { entries, next, nodes: asked.nodes };
    },
    async trace(requestId) {
      const { values } = await askNodes<readonly LogEntry[]>(view, [questions.trace, { requestId }]);
      const several = values.length > 1;
      return values
        .flatMap(({ node, value }) =>
          value.map((entry): NodeLogEntry => (several ? { ...entry, node: node.name } : entry)),
        )
        .sort((left, right) => left.at - right.at);
    },
    async metrics(rangeMs, only) {
      const { values, nodes } = await askNodes(view, [questions.requestCounts, { rangeMs }], only);
      return {
        ...telemetry.mergedMetrics(
          values.map(({ value }) => value),
          rangeMs,
        ),
        nodes,
      };
    },
  };
}

type Known = Awaited<ReturnType<GroupView['nodes']>>;

const wanted = (known: Known, only: string | undefined): string[] =>
  known.filter(({ id, isRunning }) => isRunning && (only === undefined || id === only)).map(({ id }) => id);

async function askEach(
  view: GroupView,
  {
    cursor,
    ...page
  }: { readonly filter: unknown; readonly limit: number; readonly cursor: NodesCursor | undefined },
  ids: readonly string[],
): Promise<Asked<LogPage>> {
  const asked = await Promise.all(
    ids.map((id) => askNodes<LogPage>(view, [questions.logs, { ...page, cursor: cursorOf(cursor, id) }], id)),
  );
  return {
    values: asked.flatMap(({ values }) => values),
    nodes: {
      answered: asked.flatMap(({ nodes }) => nodes.answered),
      missing: asked.flatMap(({ nodes }) => nodes.missing),
      others: [],
    },
  };
}
