import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';

/**
 * Who wrote the documents of a mount. `users`: the app's users, or code and SQL that may repeat text from users. Shown
 * in a sandbox. `operator`: server functions whose operator intentionally serves pages (`[edge_runtime] html =
 * "page"`). `plinth`: Plinth's own pages, which have their own policies.
 */
export type Documents = 'users' | 'operator' | 'plinth';

/** The interface that every network-facing module provides to `main.ts`. */
export interface Service {
  /** The name in logs and in `/health`. */
  readonly name: string;
  /** Where the gateway mounts the service. */
  readonly mounts: readonly Mount[];
  /** Called once the database is ready and migrated. Must be fast, so slow preparations are started but not awaited. */
  start?(): Promise<void>;
  /** Finishes requests in flight and releases all resources. Called once. */
  stop?(): Promise<void>;
  /** Returns undefined if the service is healthy, or otherwise a sentence that describes the problem. */
  health?(): string | undefined;
}

export interface Mount {
  /** A sub-path of the port, for example `/auth/v1`. `request.url` still includes the prefix. */
  readonly prefix: string;
  /** Registered as an encapsulated child, so that hooks, parsers and error handlers don't affect siblings. */
  readonly plugin: FastifyPluginAsync;
  /**
   * `open`: the gateway answers preflight requests and adds `access-control-allow-origin: *`, as the local stack's
   * gateway does, and exposes `exposeHeaders`. `none`: the service handles CORS itself.
   */
  readonly cors: 'open' | 'none';
  readonly exposeHeaders?: readonly string[];
  /**
   * Whether the gateway replaces a missing `Authorization`, or one that starts with `Bearer sb_`, with the JWT for the
   * `apikey` header (the local stack's rule) before the service sees it.
   */
  readonly apiKeys: boolean;
  /** Who wrote the mount's documents. Defaults to the app's users, whose documents are shown in a sandbox. */
  readonly documents?: Documents;
  /** Whether the service itself adds its statements to the request's trace (`kernel/trace.ts`). */
  readonly notesStatements?: boolean;
  /** The response to a path with invalid percent-encoding, in the service's own format. */
  readonly badPath?: { readonly status: number; readonly body: object };
  /** Handles WebSocket and other upgrades below the prefix. The service then owns the socket. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, caller: UpgradeCaller) => void;
}

/** Information about the caller of an upgrade that the gateway provides. */
export interface UpgradeCaller {
  /** The address as reported by trusted proxies. Empty if the socket is closed. */
  readonly address: string;
  /** False for a web page of another origin, both in the handshake and later (`kernel/foreign-page.ts`). */
  readonly mayUseSecretKeys: boolean;
}
