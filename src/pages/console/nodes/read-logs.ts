/** Reads the logs and the metrics of all nodes. */
import type { GroupView } from '../../../platform/group/types.ts';
import type {
  LogCounts,
  LogEntry,
  LogFailures,
  LogPage,
  LogSort,
  Telemetry,
} from '../../../platform/telemetry/types.ts';
import { type Asked, askNodes } from './ask.ts';
import { mergeGroups } from './merge-failures.ts';
import { cursorOf, mergePages, type NodeLogEntry, type NodesCursor } from './merge-logs.ts';
import type { NodeLogs, RangeRequest } from './node-logs.ts';
import { questions } from './questions.ts';

export function createLogReader(
  view: GroupView,
  telemetry: Pick<Telemetry, 'mergedMetrics' | 'metricHistory'>,
): NodeLogs {
  return {
    async list(filter, { limit, cursor, only, sort = 'time' }) {
      // Each node has its own position, so each node is asked separately, at the same time.
      const known = cursor === undefined ? undefined : await view.nodes().catch(() => undefined);
      const asked =
        known === undefined
          ? await askNodes<LogPage>(view, [questions.logs, { filter, limit, sort }], only)
          : await askEach(view, { filter, limit, cursor, sort }, wanted(known, only));
      return { ...mergePages(asked.values, { limit, before: cursor, sort }), nodes: asked.nodes };
    },
    async counts(request) {
      const { values, nodes } = await askRange<LogCounts>(view, questions.logCounts, request);
      return { ...mergeCounts(values.map(({ value }) => value)), stops: stopsOf(values), nodes };
    },
    async failures(request) {
      const { values, nodes } = await askRange<LogFailures>(view, questions.logFailures, request);
      return { ...mergeFailures(values.map(({ value }) => value)), stops: stopsOf(values), nodes };
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
    async metricHistory(range, only) {
      const asked = await askNodes<readonly unknown[]>(view, [questions.metricSamples, range], only);
      const samples = asked.values.map(({ value }) => value);
      return { ...(await telemetry.metricHistory.report(samples, range)), nodes: asked.nodes };
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

/**
 * Asks nodes for steps. If the range begins with the oldest entry, the nodes are asked again with the same range. Nodes
 * that have stopped early are asked again only if the request continues an earlier one.
 */
async function askRange<Value extends { readonly start: number; readonly steps: number }>(
  view: GroupView,
  question: string,
  { filter, range, only, stops }: RangeRequest,
): Promise<Asked<Value>> {
  if (stops !== undefined) {
    const asked = await Promise.all(
      [...stops].map(([id, before]) =>
        askNodes<Value>(view, [question, { filter, range: { ...range, before } }], id),
      ),
    );
    return joined(asked);
  }
  const asked = await askNodes<Value>(view, [question, { filter, range }], only);
  const starts = new Set(asked.values.map(({ value: { start, steps } }) => `${start} ${steps}`));
  if (starts.size <= 1) return asked;
  const since = Math.min(...asked.values.map(({ value: { start } }) => start));
  return askNodes<Value>(view, [question, { filter, range: { ...range, since } }], only);
}

type Stopping = { readonly searchedTo?: number | undefined };

/** Returns the times up to which nodes have searched that have stopped early. */
const stopsOf = (values: Asked<Stopping>['values']): ReadonlyMap<string, number> =>
  new Map(
    values.flatMap(({ node, value: { searchedTo } }) =>
      searchedTo === undefined ? [] : [[node.id, searchedTo] as const],
    ),
  );

function mergeCounts(parts: readonly LogCounts[]): Omit<LogCounts, 'searchedTo'> {
  const { start = 0, stepMs = 60_000, steps = 0 } = parts[0] ?? {};
  const sum = (name: 'succeeded' | 'refused' | 'failed' | 'lines' | 'warnings'): number[] =>
    Array.from({ length: steps }, (_none, step) =>
      parts.reduce((all, part) => all + (part[name][step] ?? 0), 0),
    );
  return {
    ...{ start, stepMs, steps },
    ...{ succeeded: sum('succeeded'), refused: sum('refused'), failed: sum('failed') },
    ...{ lines: sum('lines'), warnings: sum('warnings') },
  };
}

function mergeFailures(parts: readonly LogFailures[]): Omit<LogFailures, 'searchedTo'> {
  const { start = 0, stepMs = 60_000, steps = 0 } = parts[0] ?? {};
  return {
    ...{ start, stepMs, steps },
    groups: mergeGroups(parts.flatMap(({ groups }) => groups)),
    others: parts.reduce((all, { others }) => all + others, 0),
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
  }: {
    readonly filter: unknown;
    readonly limit: number;
    readonly cursor: NodesCursor | undefined;
    readonly sort: LogSort;
  },
  ids: readonly string[],
): Promise<Asked<LogPage>> {
  const asked = await Promise.all(
    ids.map((id) => askNodes<LogPage>(view, [questions.logs, { ...page, cursor: cursorOf(cursor, id) }], id)),
  );
  return joined(asked);
}

const joined = <Value>(asked: readonly Asked<Value>[]): Asked<Value> => ({
  values: asked.flatMap(({ values }) => values),
  nodes: {
    answered: asked.flatMap(({ nodes }) => nodes.answered),
    missing: asked.flatMap(({ nodes }) => nodes.missing),
    others: [],
  },
});
