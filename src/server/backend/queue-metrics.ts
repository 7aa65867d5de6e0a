/** The metrics of all request queues except the queues for database connections. */

import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Sample } from '../../base/kernel/metrics/values.ts';
import type { QueueLoad } from '../../base/kernel/service.ts';
import type { GatewayQueue } from '../gateway/index.ts';

/**
 * Returns the metrics.
 *
 * @param queues the queues by name
 * @param gateway the API port's queue, whose rejections are also counted per service
 */
export function queueMetrics(
  queues: Readonly<Record<string, QueueLoad>>,
  gateway: GatewayQueue | undefined,
): MetricValues {
  const all = Object.entries({ ...queues, ...(gateway === undefined ? {} : { gateway }) });
  const samples = (read: (load: QueueLoad) => number): Sample[] =>
    all.map(([name, load]) => [[name], read(load)]);
  return {
    plinth_queue_waiting: samples(({ waiting }) => waiting),
    plinth_queue_waited_total: samples(({ waited }) => waited),
    plinth_queue_waited_seconds_total: samples(({ waitedMs }) => waitedMs / 1000),
    plinth_queue_rejected_total: samples(({ rejected }) => rejected),
    ...(gateway === undefined
      ? {}
      : {
          plinth_gateway_expected_wait_seconds: [[[], gateway.expectedWaitMs / 1000]],
          plinth_gateway_rejected_total: [...gateway.rejectedByPrefix].map(
            ([prefix, count]): Sample => [[prefix], count],
          ),
        }),
  };
}
