/**
 * Sends the responses that all requests for a path get, such as the auth service's key set. These requests skip the
 * router, because routing a request costs more than writing a prepared response.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Mount } from '../../base/kernel/service.ts';
import type { RequestRecord } from '../../base/kernel/trace.ts';
import { sharedJson } from '../../base/shared/http/shared-json.ts';
import { createMountRules, type KeyRules, type MountRules } from './mount.ts';
import { identify } from './observe.ts';
import { requestIdOf } from './overload-response.ts';
import { createMountFinder, pathOf } from './paths.ts';
import { rejectionHeaders, type StartRequest } from './request-hooks.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { GatewayOptions } from './types.ts';

export interface SharedResponsesDeps extends Pick<GatewayOptions, 'services'> {
  readonly rules: KeyRules;
  readonly start: StartRequest;
  readonly stripForwarding: (request: IncomingMessage) => void;
  readonly proxies: TrustedProxies;
  readonly onRequestEnd: (record: RequestRecord) => void;
}

interface Shared {
  readonly service: string;
  readonly apply: MountRules;
}

/** Responds to requests for shared responses, and passes all other requests to the server's listeners. */
export function sendSharedResponses(server: Server, deps: SharedResponsesDeps): void {
  const { services, rules, start, stripForwarding, proxies, onRequestEnd } = deps;
  const shared = new Map<Mount, Shared>();
  for (const { name, mounts } of services)
    for (const mount of mounts)
      if (mount.sameForAll !== undefined)
        shared.set(mount, { service: name, apply: createMountRules(mount, rules) });
  if (shared.size === 0) return;
  const mountOf = createMountFinder(services.flatMap(({ mounts }) => mounts));
  const headersOfRejection = Object.entries(rejectionHeaders(true)).flat();

  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '/' } = request;
    const mount = method === 'GET' ? mountOf(url) : undefined;
    const content = mount?.sameForAll?.(pathOf(url).slice(mount.prefix.length));
    if (mount === undefined || content === undefined) {
      for (const listener of listeners) listener(request, response);
      return;
    }
    const { service, apply } = shared.get(mount) as Shared;
    stripForwarding(request);
    const { trace, headers, rejection } = start(request, response, requestIdOf(request.headers));
    const refusal = rejection ?? apply(request, response, headers);
    if (rejection !== undefined) headers.push(...headersOfRejection);
    const status = refusal === undefined ? 200 : refusal.status;
    const { headers: more, body } = refusal === undefined ? content : sharedJson(refusal.body);
    for (const text of more) headers.push(text);
    response.writeHead(status, headers);
    response.end(body, 'latin1');
    trace.isOver = true;
    if (status !== 401) identify(trace, request.headers.authorization, rules.keys);
    onRequestEnd({
      at: Date.now(),
      requestId: trace.requestId,
      service,
      method: 'GET',
      route: pathOf(url),
      url,
      status,
      durationMs: performance.now() - trace.startedAt,
      ip: proxies.clientOf(request) ?? '',
      userAgent: request.headers['user-agent'],
      trace,
    });
  });
}
