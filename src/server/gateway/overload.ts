/**
 * Places the dispatcher in front of the services. Requests that couldn't be processed in time are rejected before they
 * are routed, parsed or logged. The response to a rejected request has the service's error format, and web pages can
 * read it.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from '../../base/kernel/http.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount } from '../../base/kernel/service.ts';
import { rawHead } from '../../base/shared/http/response-head.ts';
import { isCountedAddress, networkOf } from '../../base/shared/network/network-of.ts';
import { Dispatcher, type DispatchLimits, type DispatchLoad } from './dispatcher.ts';
import { overloadBody, overloadHead, overloadStatus } from './overload-response.ts';
import { createMountFinder, pathOf } from './paths.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface OverloadOptions {
  readonly mounts: readonly Mount[];
  readonly proxies: TrustedProxies;
  readonly limits: DispatchLimits;
  readonly log: Logger;
  /** Detects slow clients. Called for rejected requests, because the server still reads the rest of their bodies. */
  readonly watch: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface Overload {
  /**
   * Starts an upgrade now or later, or rejects the upgrade with a response on its socket if too many upgrades are
   * waiting.
   */
  upgrade(request: IncomingMessage, socket: Duplex, start: () => void): void;
  load(): DispatchLoad;
  /** Returns the number of rejected requests per mount, by prefix. */
  rejected(): ReadonlyMap<string, number>;
}

/** The prefix under which requests outside of all mounts are counted. */
const noPrefix = '/';

/** Paths that are never rejected, because probes and metrics are needed most while the server is overloaded. */
const exemptPath = /^\/(?:health(?:\/|$)|metrics$)/;
const logIntervalMs = 10_000;

/** Passes a server's requests to its listener in the dispatcher's order, and rejects some of them. */
export function rejectOverload(
  server: Server,
  { mounts, proxies, limits, log, watch }: OverloadOptions,
): Overload {
  const dispatcher = new Dispatcher(limits);
  const mountOf = createMountFinder(mounts);
  server.on('connection', () => dispatcher.accepted());
  const counts = new Map<string, number>();
  const count = createCounter(counts, log);

  const clientOf = (request: IncomingMessage): string => {
    const address = proxies.clientOf(request);
    return isCountedAddress(address) ? networkOf(address) : '';
  };

  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const start: RequestListener = (request, response) => {
    for (const listener of listeners) listener(request, response);
  };
  server.on('request', (request, response) => {
    const url = request.url ?? '/';
    const mount = mountOf(url);
    if (isExempt(request, mount) || dispatcher.startsNow()) {
      start(request, response);
      return;
    }
    dispatcher.wait({
      client: clientOf(request),
      isUpgrade: false,
      isGone: () => response.destroyed,
      start: () => start(request, response),
      reject(waitMs) {
        count(mount);
        watch(request, response);
        const body = overloadBody(mount, pathOf(url));
        response.writeHead(overloadStatus, overloadHead(request, body, waitMs));
        response.end(request.method === 'HEAD' ? undefined : body.text);
      },
    });
  });

  return {
    upgrade(request, socket, start) {
      if (dispatcher.startsNow()) {
        start();
        return;
      }
      const url = request.url ?? '/';
      const mount = mountOf(url);
      dispatcher.wait({
        client: clientOf(request),
        isUpgrade: true,
        isGone: () => socket.destroyed,
        start,
        reject(waitMs) {
          count(mount);
          const body = overloadBody(mount, pathOf(url));
          const head = [...overloadHead(request, body, waitMs), 'connection', 'close'];
          socket.end(rawHead(overloadStatus, STATUS_CODES[overloadStatus] ?? '', head) + body.text);
        },
      });
    },
    load: () => dispatcher.load(),
    rejected: () => counts,
  };
}

/**
 * Whether a request is exempt from rejection. Preflight requests are exempt because responding to them is cheap, and
 * because a web page whose preflight request is rejected couldn't determine the reason.
 */
function isExempt(request: IncomingMessage, mount: Mount | undefined): boolean {
  if (mount === undefined) return exemptPath.test(pathOf(request.url ?? '/'));
  if (mount.isProbe === true) return true;
  return (
    mount.cors === 'open' &&
    request.method === 'OPTIONS' &&
    request.headers['access-control-request-method'] !== undefined
  );
}

/** Counts rejections. Periodically logs the number of rejected requests, instead of one line per rejected request. */
function createCounter(
  counts: Map<string, number>,
  log: Logger,
): (mount: Pick<Mount, 'prefix'> | undefined) => void {
  let sinceLine = 0;
  const report = (): void => {
    log.warn({ rejected: sinceLine }, 'rejected requests with 503, because the server is overloaded');
    sinceLine = 0;
  };
  return (mount) => {
    const prefix = mount?.prefix ?? noPrefix;
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    sinceLine += 1;
    if (sinceLine === 1) setTimeout(report, logIntervalMs).unref();
  };
}
