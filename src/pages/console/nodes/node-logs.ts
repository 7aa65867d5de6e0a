/** What the Console reads from the logs of all nodes. */
import type {
  GaugeReport,
  LogCounts,
  LogFailures,
  LogFilter,
  LogRange,
  LogSort,
  MetricRange,
  MetricsReport,
} from '../../../platform/telemetry/types.ts';
import type { AskedNodes } from './contract.ts';
import type { NodeLogEntry, NodesCursor } from './merge-logs.ts';

export interface NodeLogs {
  list(
    filter: Omit<LogFilter, 'shown'>,
    page: {
      readonly limit: number;
      readonly cursor: NodesCursor | undefined;
      readonly only: string | undefined;
      readonly sort?: LogSort;
    },
  ): Promise<{
    readonly entries: readonly NodeLogEntry[];
    readonly next: NodesCursor | undefined;
    readonly searchedTo?: number | undefined;
    readonly nodes: AskedNodes;
  }>;
  /** Counts the entries of all nodes in steps. */
  counts(request: RangeRequest): Promise<Omit<LogCounts, 'searchedTo'> & Stopped>;
  /** Groups the failures of all nodes. */
  failures(request: RangeRequest): Promise<Omit<LogFailures, 'searchedTo'> & Stopped>;
  /** Returns all entries of a request, oldest first. Several nodes can have entries, for example of a function. */
  trace(requestId: string): Promise<readonly NodeLogEntry[]>;
  /** Adds up the requests of all nodes, or returns those of a single node. */
  metrics(rangeMs: number, only?: string): Promise<MetricsReport & { readonly nodes: AskedNodes }>;
  /** Returns the requests and the load of all nodes, or of a single node, from the samples of each minute. */
  metricHistory(
    range: MetricRange,
    only?: string,
  ): Promise<{
    readonly requests: MetricsReport;
    readonly gauges: GaugeReport;
    readonly nodes: AskedNodes;
  }>;
}

export interface RangeRequest {
  readonly filter: Omit<LogFilter, 'shown'>;
  readonly range: LogRange;
  readonly only: string | undefined;
  /** The nodes that have stopped early, and the times up to which they have searched. */
  readonly stops?: ReadonlyMap<string, number> | undefined;
}

interface Stopped {
  readonly stops: ReadonlyMap<string, number>;
  readonly nodes: AskedNodes;
}
