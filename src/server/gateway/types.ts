/** The options and the interface of a gateway. */

import type { Socket } from 'node:net';
import type { Logger } from '../../base/kernel/log.ts';
import type { OwnAddress } from '../../base/kernel/request-origin.ts';
import type { Observe, Service } from '../../base/kernel/service.ts';
import type { Certificates } from '../../base/kernel/tls.ts';
import type { RequestRecord } from '../../base/kernel/trace.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { AdmissionLoad } from './admission.ts';
import type { DispatchLoad } from './dispatcher.ts';
import type { ForwardOptions } from './forward.ts';
import type { GatewayLimits } from './limits.ts';
import type { Readiness } from './readiness.ts';
import type { SecretKeyOptions } from './secret-keys.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface GatewayOptions {
  readonly services: readonly Service[];
  readonly keys: Keys;
  readonly log: Logger;
  /** Called for each completed request. If undefined, each request is logged as one line. */
  readonly onRequestEnd?: (record: RequestRecord) => void;
  /** Returns the content of `/health` and `/health/ready`. If undefined, these endpoints don't exist. */
  readonly readiness?: Readiness;
  /** Returns the content of `/metrics`. If undefined, the endpoint doesn't exist. */
  readonly prometheus?: () => Promise<string>;
  /** Returns the proxies whose X-Forwarded-* headers are currently trusted. Defaults to none. */
  readonly trustedProxies?: () => TrustedProxies;
  /**
   * The origin of the pages that this port serves. If set, only pages of this origin can send requests. If undefined,
   * any page can send requests.
   */
  readonly own?: OwnAddress;
  /** The redirect target of `/`. If undefined, `/` returns a 404 error. */
  readonly home?: string;
  /** Returns a hint to add to the error for an unknown path. */
  readonly hint?: (path: string) => string | undefined;
  /**
   * Returns an access token for an API key of a user that is valid for at least this many seconds, or undefined if the key
   * isn't valid. Without this function, no such key is valid.
   */
  readonly exchangeUserKey?: ((key: string, validSeconds: number) => Promise<string | undefined>) | undefined;
  /** Options for secret keys in web pages. By default, secret keys from pages with other origins are rejected. */
  readonly secretKeys?: Omit<SecretKeyOptions, 'keys'>;
  /** Returns the callers whose `traceparent` determines whether a request is traced. Defaults to `none`. */
  readonly tracedCallers?: () => 'none' | 'proxies' | 'all';
  /** Returns the current limits. Defaults to the limits of an empty configuration. */
  readonly limits?: () => GatewayLimits;
  /**
   * If set, this gateway belongs to an API worker, and all requests that its services don't handle go to the main
   * process.
   */
  readonly forward?: ForwardOptions | undefined;
  /** Whether this gateway belongs to the main process, which receives requests only from its API workers. */
  readonly isBehindWorkers?: boolean;
  /** Enables HTTPS. The certificates must already be loaded. */
  readonly tls?: PortTls | undefined;
  /** Whether {@link Gateway.complete} registers the routes of most mounts, so the port can listen sooner. */
  readonly defersRoutes?: boolean;
}

export interface PortTls {
  readonly certificates: Certificates;
  /** The value of the Strict-Transport-Security header. If undefined, the header isn't sent. */
  readonly strictTransport: string | undefined;
}

export interface Gateway {
  /** Starts to listen and resolves with the port. @throws {Error} from Node, such as EADDRINUSE */
  listen(host: string, port: number): Promise<number>;
  listenOn(socketPath: string): Promise<void>;
  /**
   * Registers the routes that `defersRoutes` has deferred. Requests for these routes wait until the routes are
   * registered.
   */
  complete(): Promise<void>;
  /** Serves a connection that another process has accepted. */
  accept(socket: Socket): void;
  /** The number of open connections that were passed to {@link accept}. */
  readonly accepted: number;
  /** Handles a request within this process, without using the network. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request like {@link fetch}, but streams the response body. Aborting `init.signal` aborts the request. */
  stream(path: string, init?: RequestInit): Promise<Response>;
  /** Calls a function in which one service acts for another service, and logs and counts the call like a request. */
  readonly observe: Observe;
  load(): GatewayLoad;
  /**
   * Returns the load of the queue in front of the services. Returns undefined if the port never rejects requests
   * because of overload.
   */
  queue(): GatewayQueue | undefined;
  /**
   * Registers all routes that aren't registered yet, and returns all routes once the port listens.
   * `docs/specification.md` is generated from this list of routes.
   */
  routes(): Promise<readonly Route[]>;
  /**
   * Closes each connection after its next response. When no connections are left, or after `drainMs`, stops accepting
   * connections, finishes requests in flight, and aborts the remaining requests after `graceMs`. With `untilIdle`, the
   * drain ends as soon as all connections passed to {@link accept} are closed.
   */
  close(graceMs: number, drainMs?: number, untilIdle?: boolean): Promise<void>;
}

/** The current load of a port, for `/metrics`. */
export interface GatewayLoad extends AdmissionLoad {
  readonly websockets: number;
}

export interface GatewayQueue extends DispatchLoad {
  /** The number of rejected requests per mount. */
  readonly rejectedByPrefix: ReadonlyMap<string, number>;
}

export interface Route {
  /** The HTTP method, or `*` for all methods. */
  readonly method: string;
  /** The path in Fastify's syntax, such as `/storage/v1/bucket/:bucketId`. */
  readonly path: string;
}
