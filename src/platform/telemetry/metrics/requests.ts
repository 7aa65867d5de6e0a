/**
 * Counts requests for `/metrics`. The labels of a duration are the route's pattern, the method and the status class.
 * The number of time series therefore depends on the number of routes and not on the clients' input.
 */
import type { MetricValues } from '../../../base/kernel/metrics/catalog.ts';
import { Histogram, type Sample } from '../../../base/kernel/metrics/values.ts';
import type { RequestRecord } from '../../../base/kernel/trace.ts';

export interface RequestMetrics {
  count(record: Pick<RequestRecord, 'service' | 'route' | 'method' | 'status' | 'durationMs'>): void;
  values(): MetricValues;
}

interface ServiceCounts {
  readonly byStatus: Map<number, number>;
  /** Each route's histograms, at the positions that {@link cellOf} returns. */
  readonly routes: Map<string, (Histogram | undefined)[]>;
}

/**
 * The request methods that have their own label value. Node's parser accepts more methods, which clients could use to
 * create many series.
 */
const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'other'] as const;
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** The route label for requests that matched no route. */
const unmatched = 'unmatched';

function cellOf(method: string, status: number): number {
  const index = (methods as readonly string[]).indexOf(method);
  const statusClass = Math.min(5, Math.max(1, Math.floor(status / 100)));
  return (index === -1 ? methods.length - 1 : index) * classes.length + statusClass - 1;
}

export function createRequestMetrics(): RequestMetrics {
  const services = new Map<string, ServiceCounts>();

  const countsOf = (service: string): ServiceCounts => {
    const fresh: ServiceCounts = { byStatus: new Map(), routes: new Map() };
    services.set(service, fresh);
    return fresh;
  };

  return {
    count({ service, route = unmatched, method, status, durationMs }) {
      const { byStatus, routes } = services.get(service) ?? countsOf(service);
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      let cells = routes.get(route);
      if (cells === undefined) {
        cells = [];
        routes.set(route, cells);
      }
      const cell = cellOf(method, status);
      let histogram = cells[cell];
      if (histogram === undefined) {
        histogram = new Histogram();
        cells[cell] = histogram;
      }
      histogram.observe(durationMs / 1000);
    },
    values() {
      const totals: Sample[] = [];
      const durations: Sample[] = [];
      for (const [service, { byStatus, routes }] of services) {
        for (const [status, count] of byStatus) totals.push([[service, String(status)], count]);
        for (const [route, cells] of routes)
          for (const [index, histogram] of cells.entries()) {
            if (histogram === undefined) continue;
            const method = methods[Math.floor(index / classes.length)] as string;
            const statusClass = classes[index % classes.length] as string;
            durations.push([[service, route, method, statusClass], histogram.value()]);
          }
      }
      return { plinth_requests_total: totals, plinth_request_duration_seconds: durations };
    },
  };
}
