/** Reads the logs and the metrics of all nodes. The code is loaded by the first call. */
import type { GroupView } from '../../../platform/group/types.ts';
import type { Telemetry } from '../../../platform/telemetry/types.ts';
import type { NodeLogs } from './node-logs.ts';

export type { NodeLogs } from './node-logs.ts';

export function createNodeLogs(
  view: GroupView,
  telemetry: Pick<Telemetry, 'mergedMetrics' | 'metricHistory'>,
): NodeLogs {
  let loaded: Promise<NodeLogs> | undefined;
  const load = (): Promise<NodeLogs> => {
    loaded ??= import('./read-logs.ts').then(({ createLogReader }) => createLogReader(view, telemetry));
    return loaded;
  };
  return {
    list: async (filter, page) => (await load()).list(filter, page),
    counts: async (request) => (await load()).counts(request),
    failures: async (request) => (await load()).failures(request),
    trace: async (requestId) => (await load()).trace(requestId),
    metricHistory: async (range, only) => (await load()).metricHistory(range, only),
    metrics: async (rangeMs, only) => (await load()).metrics(rangeMs, only),
  };
}
