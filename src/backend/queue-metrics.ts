/** The metrics of the queues in which requests wait for something other than a database connection. */
import type { GatewayQueue } from '../gateway/index.ts';
import type { MetricValues } from '../kernel/metrics/catalog.ts';
import type { Sample } from '../kernel/metrics/types.ts';
import type { QueueLoad } from '../kernel/queue-load.ts';

/** `queues`: the queues by name. `gateway`: the queue of the API port, whose rejections are also counted per service. */
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
