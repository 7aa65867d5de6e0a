import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import type { MetricValues } from './metrics/catalog.ts';

/**
 * The author of the documents that a mount serves. `users` refers to the app's users, or to code and SQL whose output
 * can contain text from users. Browsers show documents by `users` in a sandbox. `operator` refers to server functions
 * that intentionally serve pages, as the operator has configured (`[edge_runtime] html = "page"`). `plinth` refers to
 * Plinth's own pages, which have their own policies.
 */
export type Documents = 'users' | 'operator' | 'plinth';

interface StartOptions {
  readonly hasChanged: boolean;
}

/** The interface that every network-facing module provides to `main.ts`. */
export interface Service {
  /** The service's name in logs and in `/health`. */
  readonly name: string;
  /** The paths at which the gateway mounts the service. */
  readonly mounts: readonly Mount[];
  /**
   * Begins the service's preparations that only read the database. Called before `start`, and only if the database
   * existed before this process started. Must not throw.
   */
  warm?(): void;
  /**
   * Starts the service once the database is ready and migrated. This method must return quickly, so it starts slow
   * preparations without awaiting them. `hasChanged` is false if the database hasn't changed since `warm`.
   */
  start?(options?: StartOptions): Promise<void>;
  /** Resolves when the preparations that `start` hasn't awaited are complete or have failed. */
  prepared?(): Promise<void>;
  /**
   * Prepares to stop while the port still accepts connections, for at most `ms` milliseconds. Long-lived connections are
   * closed in this time.
   */
  drain?(ms: number): Promise<void>;
  /** Finishes the requests in flight and releases all resources. Called once. */
  stop?(): Promise<void>;
  /** Returns a sentence that describes a problem with the service, or undefined if it is healthy. */
  health?(): string | undefined;
  /**
   * Checks whether requests to the service would succeed, for example by running a query. Called at most once per
   * second.
   */
  readonly check?: HealthCheck;
  /** Returns the service's values for `/metrics`. Called at most once per second. */
  metrics?(): MetricValues | Promise<MetricValues>;
}

export interface Mount {
  /** The path below which the service is mounted, for example `/auth/v1`. `request.url` still includes this prefix. */
  readonly prefix: string;
  /**
   * The service's routes. The plugin is registered as an encapsulated child, so its hooks, parsers and error handlers
   * don't affect other services.
   */
  readonly plugin: FastifyPluginAsync;
  /**
   * Whether this mount's routes are registered before the port listens, even if the gateway registers the routes of
   * other mounts later.
   */
  readonly isFirst?: boolean;
  /**
   * Whether this mount's routes are registered only for the first request. Set for pages, because they have many routes
   * and not every server receives a request for them.
   */
  readonly isOnDemand?: boolean;
  /**
   * Specifies whether the gateway or the service handles CORS. With `open`, the gateway handles preflight requests,
   * adds `access-control-allow-origin: *` (like the local stack's gateway) and exposes `exposeHeaders`. With `none`,
   * the service handles CORS itself.
   */
  readonly cors: 'open' | 'none';
  readonly exposeHeaders?: readonly string[];
  /**
   * Whether the gateway replaces `Authorization` with the JWT for the `apikey` header before the service receives the
   * request. As in the local stack, the header is replaced if `Authorization` is missing or starts with `Bearer sb_`.
   */
  readonly apiKeys: boolean;
  /** The number of seconds for which this JWT is valid at least. Defaults to two minutes. */
  readonly apiKeyTokenSeconds?: number;
  /** Whether users' API keys aren't accepted. By default, the gateway replaces them with access tokens. */
  readonly refusesUserKeys?: boolean;
  /**
   * Whether the service receives secret keys in the `apikey` header. All other services receive `sb_secret_...`,
   * because the project's SQL can read their requests' headers.
   */
  readonly receivesSecretKeys?: boolean;
  /** The author of the mount's documents. Defaults to the app's users, whose documents are shown in a sandbox. */
  readonly documents?: Documents;
  /** Whether the service itself adds its statements to the request's trace (`kernel/trace.ts`). */
  readonly notesStatements?: boolean;
  /** The response to a path with invalid percent-encoding, in the service's format. */
  readonly badPath?: { readonly status: number; readonly body: object };
  /**
   * The bodies of the 503 responses that the gateway sends if the server is overloaded, in the service's formats. The
   * gateway uses the first body that applies to the path, or its own format if none applies. The bodies are plain data
   * because they are also sent to API workers.
   */
  readonly overloaded?: readonly OverloadBody[];
  /**
   * Returns the response to GET requests for a path below the prefix if all requests get the same response. The gateway
   * sends it without calling the router, after it has applied the same rules as to any other request. The plugin must
   * also have a route for the path.
   */
  readonly sameForAll?: (path: string) => SharedResponse | undefined;
  /** Whether the mount serves only health probes, which are never rejected because of overload. */
  readonly isProbe?: boolean;
  /**
   * Handles requests below the prefix to upgrade the connection, for example to WebSocket. The service then owns the
   * socket.
   */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, caller: UpgradeCaller) => void;
}

/** A response with status 200 that all requests for a path get. */
export interface SharedResponse {
  /** The headers as alternating names and values, including `content-length`. */
  readonly headers: readonly string[];
  /** The bytes of the body as Latin-1 text, which Node sends together with the head. */
  readonly body: string;
}

/** A body and its media type. */
export interface OverloadBody {
  /**
   * The path to which the body applies, including all paths below it. If undefined, the body applies to all paths of
   * the mount.
   */
  readonly below?: string;
  readonly type: string;
  readonly text: string;
}

/**
 * Calls `work`, a function in which one service acts for another service in the same process. Like a request, the call
 * is logged, counted in the metrics and traced separately. If `work` throws an error, the error's `status` is recorded.
 */
export type Observe = <T>(call: InternalCall, work: () => Promise<T>) => Promise<T>;

/** A call between services of this process, on behalf of a client. */
export interface InternalCall {
  /** The ID of the client's request. */
  readonly requestId: string;
  /** The service that does the work. */
  readonly service: string;
  /** The method and path of the HTTP route whose effect is the same as that of this call. */
  readonly method: string;
  readonly path: string;
  /** The HTTP status that the route returns if the work succeeds. */
  readonly status: number;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly accessToken: string;
}

/** The information about the caller that the gateway passes to an upgrade handler. */
export interface UpgradeCaller {
  /** The client's address, as reported by trusted proxies. Empty if the socket is closed. */
  readonly address: string;
  /**
   * Whether the caller may use secret keys. False if the caller is a web page of another origin
   * (`request-origin.ts`). Applies to the handshake and to later messages.
   */
  readonly mayUseSecretKeys: boolean;
}

/** The result of a health check. */
export interface Health {
  /**
   * The state of the service. `degraded` means that requests succeed, but the problem needs an operator's attention.
   */
  readonly status: 'ok' | 'degraded' | 'failing';
  /** A sentence for operators. The sentence must not contain secrets, because `/health` is public. */
  readonly message?: string;
}

/** Runs the check. Returns undefined if the check has succeeded. Throws if the check has failed. */
export type HealthCheck = () => Promise<Health | undefined>;

/** The load of a queue in front of limited resources. Counters start at zero when the process starts. */
export interface QueueLoad {
  /** The number of queued requests. */
  readonly waiting: number;
  /** The number of requests that started after they had waited in the queue, and the sum of their waits. */
  readonly waited: number;
  readonly waitedMs: number;
  /** The number of requests that were rejected because their wait would have been too long. */
  readonly rejected: number;
}
