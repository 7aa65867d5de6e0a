/** Defines the endpoints for operators' tools, such as health checks and metrics. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Claims, Keys } from '../../platform/keys/types.ts';
import type { ApiKeyRule } from './api-keys.ts';
import type { KeyRules } from './mount.ts';
import { type SecretKeyRule, secretKeyRejection } from './secret-keys.ts';
import type { GatewayOptions } from './types.ts';

export const livePath = '/health/live';

/** Registers the endpoints that operators' tools use. */
export function registerOperatorRoutes(
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

interface MetricsRules {
  readonly apiKeys: ApiKeyRule;
  readonly secretKeys: SecretKeyRule;
  readonly keys: Pick<Keys, 'verifyOwn'>;
}

/**
 * Serves `/metrics` for Prometheus. Requires the secret key, because only the project's owner should see the project's
 * traffic. Accepts the secret key or a `service_role` token, either in the `Authorization: Bearer` header or in the `apikey`
 * header.
 */
function metricsRoute(
  text: () => Promise<string>,
  { apiKeys, secretKeys, keys }: MetricsRules,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async ({ headers, raw }, reply) => {
    if (secretKeys.refuses(raw)) return reply.code(secretKeyRejection.status).send(secretKeyRejection.body);
    const given = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? headers.apikey;
    const verified = typeof given === 'string' ? keys.verifyOwn(apiKeys.exchange(given)) : undefined;
    const claims = verified?.ok === true ? verified.claims : undefined;
    if (claims?.role !== 'service_role' || !isCurrent(claims, Date.now())) {
      return reply.code(401).header('www-authenticate', 'Bearer').send({
        code: 'unauthorized',
        message: 'Metrics require the secret key. Send it as a bearer token.',
      });
    }
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(await text());
  };
}

const isCurrent = ({ exp, nbf }: Readonly<Claims>, nowMs: number): boolean =>
  (exp === undefined || (typeof exp === 'number' && exp * 1000 > nowMs)) &&
  (nbf === undefined || (typeof nbf === 'number' && nbf * 1000 <= nowMs));
