/**
 * Mounts a service under a sub-path. Applies the rules for CORS and API keys, and attributes requests to their callers.
 */
import type { FastifyInstance } from 'fastify';
import type { Mount } from '../../base/kernel/service.ts';
import { traces } from '../../base/kernel/trace.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { type ApiKeyRule, applyApiKey } from './api-keys.ts';
import { isPreflight, openHeaders, sendPreflight } from './cors.ts';
import { setDocuments } from './safe-response.ts';
import { type SecretKeyRule, secretKeyRejection } from './secret-keys.ts';
import { hideOwnCookies } from './upgrades.ts';

export interface KeyRules {
  readonly apiKeys: ApiKeyRule;
  readonly secretKeys: SecretKeyRule;
  readonly keys: Keys;
}

/** Registers a mount as an encapsulated child of the app. */
export function registerMount(
  app: FastifyInstance,
  serviceName: string,
  mount: Mount,
  { apiKeys, secretKeys, keys }: KeyRules,
): void {
  const cors = openHeaders(mount);
  app.register(
    async (scope) => {
      scope.addHook('onRequest', (request, _reply, done) => {
        request.serviceName = serviceName;
        // The asynchronous context attributes SQL statements to a request, but slightly slows down each asynchronous
        // step, so it isn't used for services that attribute statements themselves.
        if (mount.notesStatements === true || request.trace === undefined) done();
        else traces.run(request.trace, done);
      });
      // Rejects percent-encoded prefixes, because the router matches them although services remove the prefix by its
      // length.
      scope.addHook('onRequest', (request, reply, done) => {
        if (request.url.startsWith(mount.prefix)) done();
        else reply.callNotFound();
      });
      scope.addHook('onRequest', (request, reply, done) => {
        const { documents = 'users' } = mount;
        setDocuments(reply.raw, documents);
        if (documents !== 'plinth') hideOwnCookies(request.raw);
        // Rejects service worker scripts, because a service worker would remain in the browser and could respond to
        // every request below its path.
        if (documents === 'users' && request.headers['service-worker'] !== undefined)
          reply
            .code(403)
            .send({ code: 'service_worker_refused', message: "This server doesn't allow service workers" });
        else done();
      });
      if (mount.cors === 'open') {
        scope.addHook('onRequest', (request, reply, done) => {
          if (isPreflight(request)) {
            sendPreflight(request, reply);
            return;
          }
          reply.gatewayHeaders?.push(...cors);
          done();
        });
      }
      if (mount.apiKeys) {
        scope.addHook('onRequest', (request, reply, done) => {
          request.mayUseSecretKeys = !secretKeys.forbids(request.raw);
          if (!request.mayUseSecretKeys && secretKeys.refuses(request.raw)) {
            reply.code(secretKeyRejection.status).send(secretKeyRejection.body);
            return;
          }
          applyApiKey(request.raw.headers, apiKeys, mount);
          const waiting = keys.prepare(request.raw.headers.authorization);
          if (waiting === undefined) done();
          else waiting.then(() => done());
        });
      }
      await scope.register(mount.plugin);
    },
    { prefix: mount.prefix },
  );
}
