import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePrometheus } from '../../../../test/support/prometheus.ts';
import { type MetricValues, metricCatalog } from '../../../base/kernel/metrics/catalog.ts';
import { durationBounds, Histogram } from '../../../base/kernel/metrics/values.ts';
import { mergeMetrics, renderMetrics } from './render.ts';
import { createRequestMetrics } from './requests.ts';

const request = { service: 'rest', route: '/rest/v1/:relation', method: 'GET', status: 200, durationMs: 3 };

describe('the metrics catalog', () => {
  test.each(Object.entries(metricCatalog))('%s follows the Prometheus conventions', (name, definition) => {
    expect(name).toMatch(/^(?:plinth|process|nodejs)_[a-z0-9_]+$/);
    expect(name.endsWith('_total')).toBe(definition.type === 'counter');
    if (definition.type === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(name).not.toMatch(/_(?:ms|milliseconds|kb|mb|percent)(?:_|$)/);
    for (const label of definition.labels) expect(label).toMatch(/^(?!le$)[a-z_]+$/);
    expect(definition.help).toMatch(/^\S.*\.$/);
  });
});

describe('a histogram', () => {
  test('counts each duration in the first bucket whose bound it doesn’t exceed', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 200, noNaN: true })), (durations) => {
        const histogram = new Histogram();
        for (const seconds of durations) histogram.observe(seconds);
        const { counts, sum } = histogram.value();
        const below = (bound: number): number => durations.filter((seconds) => seconds <= bound).length;
        let total = 0;
        for (const [index, bound] of durationBounds.entries()) {
          total += counts[index] ?? 0;
          expect(total).toBe(below(bound));
        }
        expect(total + (counts.at(-1) ?? 0)).toBe(durations.length);
        expect(sum).toBeCloseTo(durations.reduce((left, right) => left + right, 0));
      }),
    );
  });
});

describe('the text format', () => {
  test('can be parsed by Prometheus', () => {
    const requests = createRequestMetrics();
    for (const durationMs of [1, 4, 40, 400, 4000, 90_000]) requests.count({ ...request, durationMs });
    const text = renderMetrics({
      ...requests.values(),
      plinth_tls_certificate_expiry_timestamp_seconds: [[['a"b\\c\nd'], 5]],
      plinth_disk_free_bytes: Number.POSITIVE_INFINITY,
      plinth_disk_size_bytes: undefined,
      plinth_disk_full: 0,
    });
    const families = parsePrometheus(text);
    expect([...families.keys()]).toEqual([
      'plinth_requests_total',
      'plinth_request_duration_seconds',
      'plinth_disk_full',
      'plinth_tls_certificate_expiry_timestamp_seconds',
    ]);
    const samplesOf = (name: string, series = name) => families.get(name)?.series.get(series);
    expect(samplesOf('plinth_requests_total')).toEqual([
      { labels: { service: 'rest', status: '200' }, value: 6 },
    ]);
    const labels = { service: 'rest', route: '/rest/v1/:relation', method: 'GET', status_class: '2xx' };
    const durations = 'plinth_request_duration_seconds';
    const buckets = samplesOf(durations, `${durations}_bucket`) ?? [];
    expect(Object.fromEntries(buckets.map((bucket) => [bucket.labels.le, bucket.value]))).toMatchObject({
      '0.001': 1,
      '0.005': 2,
      '0.05': 3,
      '0.5': 4,
      '5': 5,
      '60': 5,
      '+Inf': 6,
    });
    expect(samplesOf(durations, `${durations}_sum`)).toEqual([{ labels, value: 94.445 }]);
    expect(samplesOf(durations, `${durations}_count`)).toEqual([{ labels, value: 6 }]);
    expect(samplesOf('plinth_tls_certificate_expiry_timestamp_seconds')).toEqual([
      { labels: { certificate: 'a"b\\c\nd' }, value: 5 },
    ]);
  });
});

describe('request metrics', () => {
  test('have a limited number of series, regardless of method and status', () => {
    const requests = createRequestMetrics();
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 5000 }), (method, status) => {
        requests.count({ ...request, method, status });
      }),
      { numRuns: 2000 },
    );
    const durations = requests.values().plinth_request_duration_seconds;
    expect((durations as readonly unknown[]).length).toBeLessThanOrEqual(8 * 5);
  });

  test('without a route share one series', () => {
    const requests = createRequestMetrics();
    const { route: _route, ...unknown } = request;
    for (let n = 0; n < 10; n++) requests.count({ ...unknown, status: 404 });
    expect(renderMetrics(requests.values())).toContain(
      'plinth_request_duration_seconds_count{service="rest",route="unmatched",method="GET",status_class="4xx"} 10',
    );
  });
});

describe('the metrics of several processes', () => {
  test('are combined to sums, maxima and minima, even after JSON encoding', () => {
    const requests = [1, 2, 3].map((count) => {
      const one = createRequestMetrics();
      for (let n = 0; n < count; n++) one.count({ ...request, durationMs: 1000 * count });
      return one.values();
    });
    const parts: MetricValues[] = requests.map((values, index) => ({
      ...values,
      plinth_log_dropped_lines_total: index,
      plinth_disk_free_bytes: 100 - index,
      process_start_time_seconds: 50 + index,
      plinth_realtime_sockets: 10,
      plinth_pool_waiting: [[[`pool${index % 2}`], 1]],
    }));
    const merged = mergeMetrics(JSON.parse(JSON.stringify(parts)));
    const text = renderMetrics(merged);
    expect(text).toContain('plinth_requests_total{service="rest",status="200"} 6');
    expect(text).toMatch(/plinth_request_duration_seconds_bucket\{.*le="1"\} 1\n/);
    expect(text).toMatch(/plinth_request_duration_seconds_bucket\{.*le="2.5"\} 3\n/);
    expect(text).toMatch(/plinth_request_duration_seconds_sum\{.*\} 14\n/);
    expect(text).toContain('plinth_log_dropped_lines_total 3\n');
    expect(text).toContain('plinth_disk_free_bytes 100\n');
    expect(text).toContain('process_start_time_seconds 50\n');
    expect(text).toContain('plinth_realtime_sockets 30\n');
    expect(text).toContain('plinth_pool_waiting{pool="pool0"} 2\nplinth_pool_waiting{pool="pool1"} 1\n');
    expect(renderMetrics(mergeMetrics([parts[0] as MetricValues]))).toBe(
      renderMetrics(parts[0] as MetricValues),
    );
  });
});
