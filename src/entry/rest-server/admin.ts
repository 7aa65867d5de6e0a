/**
 * The admin server, which serves /live, /ready, /metrics and /schema_cache with the same responses as PostgREST 16. The
 * admin server must not be publicly reachable.
 */
import type { Server } from 'node:http';
import { createServer } from '../../base/kernel/http.ts';

export interface AdminDeps {
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
