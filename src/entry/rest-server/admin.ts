/**
 * The admin server, which serves /live, /ready, /metrics and /schema_cache with the same responses as PostgREST 16. The
 * admin server must not be publicly reachable.
 */
import type { Server } from 'node:http';
import { createServer } from '../../base/kernel/http.ts';
import type { Remote } from '../../platform/database/index.ts';

interface AdminDeps {
  /** Returns whether the public server is listening. */
  readonly isLive: () => boolean;
  /** Returns whether the schema cache is loaded and the database is reachable. */
  readonly isReady: () => Promise<boolean>;
  readonly metrics: () => string;
  /** Returns the schema cache as text. The text is empty until the schema cache is loaded. */
  readonly schemaCache: () => string;
}

export function createAdminServer(deps: AdminDeps): Server {
  return createServer((request, response) => {
    respond(request.url ?? '/', deps).then(
      ({ status, type, body = '' }) => {
        const length = String(Buffer.byteLength(body));
        response.writeHead(status, { ...(type && { 'Content-Type': type }), 'Content-Length': length });
        response.end(request.method === 'HEAD' ? undefined : body);
      },
      () => response.destroy(),
    );
  });
}

interface AdminResponse {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

async function respond(url: string, deps: AdminDeps): Promise<AdminResponse> {
  switch (url.split('?', 1)[0]) {
    case '/live':
      return { status: deps.isLive() ? 200 : 500 };
    case '/ready':
      if (!(await deps.isReady())) return { status: 503 };
      return { status: deps.isLive() ? 200 : 500 };
    case '/metrics':
      return { status: 200, type: 'text/plain; charset=utf-8', body: deps.metrics() };
    case '/schema_cache':
      return { status: 200, type: 'application/json; charset=utf-8', body: deps.schemaCache() };
    default:
      return { status: 404 };
  }
}

export interface Metrics {
  poolTimeouts: number;
  schemaCacheLoads: { readonly SUCCESS: number; readonly FAIL: number };
  schemaCacheQuerySeconds: number;
  jwtCacheRequests: number;
  jwtCacheHits: number;
  jwtCacheEvictions: number;
}

/** Collects the metrics that `/metrics` returns, with the names used in PostgREST 16 and in Prometheus text format. */
export const createMetrics = () => ({
  poolTimeouts: 0,
  schemaCacheLoads: { SUCCESS: 0, FAIL: 0 },
  schemaCacheQuerySeconds: 0,
  jwtCacheRequests: 0,
  jwtCacheHits: 0,
  jwtCacheEvictions: 0,
});

type Samples = readonly (readonly [labels: string, value: number])[];

export function metricsText(metrics: Metrics, pool: ReturnType<Remote['load']>, poolMax: number): string {
  const one = (value: number): Samples => [['', value]];
  const loads = Object.entries(metrics.schemaCacheLoads).filter(([, count]) => count > 0);
  const families: (readonly [name: string, type: 'counter' | 'gauge', help: string, samples: Samples])[] = [
    [
      'db_pool_timeouts_total',
      'counter',
      'The total number of pool connection timeouts',
      one(metrics.poolTimeouts),
    ],
    ['db_pool_available', 'gauge', 'Available connections in the pool', one(pool.open - pool.busy)],
    ['db_pool_waiting', 'gauge', 'Requests waiting to acquire a pool connection', one(pool.waiting)],
    ['db_pool_max', 'gauge', 'Max pool connections', one(poolMax)],
    [
      'schema_cache_loads_total',
      'counter',
      'The total number of times the schema cache was loaded',
      loads.map(([status, count]) => [`{status="${status}"}`, count]),
    ],
    [
      'schema_cache_query_time_seconds',
      'gauge',
      'The query time in seconds of the last schema cache load',
      one(metrics.schemaCacheQuerySeconds),
    ],
    [
      'jwt_cache_requests_total',
      'counter',
      'The total number of JWT cache lookups',
      one(metrics.jwtCacheRequests),
    ],
    ['jwt_cache_hits_total', 'counter', 'The total number of JWT cache hits', one(metrics.jwtCacheHits)],
    [
      'jwt_cache_evictions_total',
      'counter',
      'The total number of JWT cache evictions',
      one(metrics.jwtCacheEvictions),
    ],
  ];
  return families
    .map(([name, type, help, samples]) =>
      [
        `# HELP pgrst_${name} ${help}`,
        `# TYPE pgrst_${name} ${type}`,
        ...samples.map(
          ([labels, value]) => `pgrst_${name}${labels} ${value.toFixed(type === 'counter' ? 1 : 6)}`,
        ),
      ].join('\n'),
    )
    .join('\n')
    .concat('\n');
}
