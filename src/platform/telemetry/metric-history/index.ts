/** The history of metrics (docs/decisions/0137-log-and-metric-history.md). */
import { isRecord } from '../../../base/shared/json.ts';
import type { Metrics } from '../core/metrics.ts';
import type { MetricHistory } from '../types.ts';
import { gaugeReport, requestReport } from './report.ts';
import { type MetricSample, parseSample } from './samples.ts';
import { createSampleStore } from './store.ts';

export function openMetricHistory(
  samples: { readonly dir: string; readonly keptMs: () => number } | undefined,
  { save, now }: { readonly save: Metrics['save']; readonly now: () => number },
): MetricHistory {
  const store = samples && createSampleStore({ ...samples, save });
  return {
    sample: async (gauges) => store?.sample(now(), gauges),
    read: async (range) => (await store?.read(range)) ?? [],
    async report(nodes, range) {
      const parsed = nodes.map((each) =>
        each.flatMap((sample): MetricSample[] => {
          const valid = isRecord(sample) ? parseSample(JSON.stringify(sample)) : undefined;
          return valid === undefined ? [] : [valid];
        }),
      );
      return { requests: requestReport(parsed, range), gauges: gaugeReport(parsed, range) };
    },
  };
}
