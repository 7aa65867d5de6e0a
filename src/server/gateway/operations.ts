/** Defines the endpoints for operators' tools, such as health checks and metrics. */
import type { FastifyInstance } from 'fastify';
import { metricsRoute } from './metrics.ts';
import type { KeyRules } from './mount.ts';
import type { GatewayOptions } from './types.ts';

export const livePath = '/health/live';

/** Registers the endpoints that operators' tools use. */
export function registerOperations(
  app: FastifyInstance,
  { readiness, prometheus }: GatewayOptions,
  rules: KeyRules,
): void {
  app.get(livePath, (_request, reply) => {
    reply.header('cache-control', 'no-store').send({ status: 'ok' });
  });
  if (readiness !== undefined) {
    for (const path of ['/health', '/health/ready'])
      app.get(path, async (_request, reply) => {
        const report = await readiness.report();
        const isReady = report.status === 'ok' || report.status === 'degraded';
        return reply
          .code(isReady ? 200 : 503)
          .header('cache-control', 'no-store')
          .send(report);
      });
  }
  if (prometheus !== undefined) app.get('/metrics', metricsRoute(prometheus, rules));
}
