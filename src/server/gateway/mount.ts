/**
 * Mounts a service under a sub-path. Applies the rules for CORS and API keys, and attributes requests to their callers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount } from '../../base/kernel/service.ts';
import { traces } from '../../base/kernel/trace.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { type ApiKeyRule, applyApiKey, defaultTokenSeconds } from './api-keys.ts';
import { isPreflight, openHeaders, sendPreflight } from './cors.ts';
import { setDocuments } from './safe-response.ts';
import { type SecretKeyRule, secretKeyRejection } from './secret-keys.ts';
import type { GatewayOptions } from './types.ts';
import { hideOwnCookies } from './upgrades.ts';
import { replaceUserKey, userKeyOf } from './user-keys.ts';

export interface KeyRules {
  readonly apiKeys: ApiKeyRule;
  readonly secretKeys: SecretKeyRule;
  readonly keys: Keys;
  readonly exchangeUserKey: NonNullable<GatewayOptions['exchangeUserKey']>;
  readonly log: Logger;
}

/** The response to a request that a mount's rules reject. */
interface Refusal {
  readonly status: number;
  readonly body: object;
}

/**
 * Applies a mount's rules to a request. Adds the response's headers to `headers`. Returns a refusal if the request isn't
 * allowed.
 */
export type MountRules = (
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
) => Refusal | undefined;

/** Marks a preflight request, to which the gateway responds itself. */
const preflight: Refusal = { status: 200, body: {} };

const serviceWorkerRefusal: Refusal = {
  status: 403,
  body: { code: 'service_worker_refused', message: "This server doesn't allow service workers" },
};

export function createMountRules(mount: Mount, { apiKeys, secretKeys }: KeyRules): MountRules {
  const { documents = 'users' } = mount;
  const cors = openHeaders(mount);
  return (request, response, headers) => {
    setDocuments(response, documents);
    if (documents !== 'plinth') hideOwnCookies(request);
    // Rejects service worker scripts, because a service worker would remain in the browser and could respond to every
    // request below its path.
    if (documents === 'users' && request.headers['service-worker'] !== undefined) return serviceWorkerRefusal;
    if (mount.cors === 'open') {
      if (isPreflight(request)) return preflight;
      for (const text of cors) headers.push(text);
    }
    if (mount.apiKeys) {
      if (secretKeys.refuses(request)) return secretKeyRejection;
      applyApiKey(request.headers, apiKeys, mount);
    }
    return undefined;
  };
}

/** Registers a mount as an encapsulated child of the app. */
export function registerMount(
  app: FastifyInstance,
  serviceName: string,
  mount: Mount,
  rules: KeyRules,
): void {
  const { keys, secretKeys, exchangeUserKey, log } = rules;
  const apply = createMountRules(mount, rules);
  const enter = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    // Rejects percent-encoded prefixes, because the router matches them although services remove the prefix by its
    // length.
    if (!request.url.startsWith(mount.prefix)) {
      reply.callNotFound();
      return;
    }
    const { raw } = request;
    const refusal = apply(raw, reply.raw, reply.gatewayHeaders ?? []);
    if (refusal === preflight) sendPreflight(request, reply);
    else if (refusal !== undefined) reply.code(refusal.status).send(refusal.body);
    else if (mount.apiKeys) {
      request.mayUseSecretKeys = !secretKeys.forbids(raw);
      const userKey = userKeyOf(raw.headers);
      if (userKey !== undefined && mount.refusesUserKeys !== true) {
        const seconds = mount.apiKeyTokenSeconds ?? defaultTokenSeconds;
        void replaceUserKey(raw.headers, userKey, (key) => exchangeUserKey(key, seconds), log).then(
          (refused) => {
            if (refused === undefined) done();
            else reply.code(refused.status).send(refused.body);
          },
        );
        return;
      }
      const waiting = keys.prepare(raw.headers.authorization);
      if (waiting === undefined) done();
      else waiting.then(() => done());
    } else done();
  };
  app.register(
    async (scope) => {
      scope.addHook('onRequest', (request, reply, done) => {
        request.serviceName = serviceName;
        // The asynchronous context attributes SQL statements to a request, but slightly slows down each asynchronous
        // step, so it isn't used for services that attribute statements themselves.
        if (mount.notesStatements === true || request.trace === undefined) enter(request, reply, done);
        else traces.run(request.trace, enter, request, reply, done);
      });
      await scope.register(mount.plugin);
    },
    { prefix: mount.prefix },
  );
}
