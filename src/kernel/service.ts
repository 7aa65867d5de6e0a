import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import type { Documents } from './response-head.ts';

/** What every room with a face to the network gives to `main.ts`. */
export interface Service {
  /** Name in logs and in `/health`. */
  readonly name: string;
  /** Where the gateway mounts it. Several are possible. */
  readonly mounts: readonly Mount[];
  /** Called once the database is ready and migrated. Quick: slow preparations are begun, not awaited. */
  start?(): Promise<void>;
  /** Finishes what is in flight and frees everything; called once. */
  stop?(): Promise<void>;
  /** Undefined when healthy, else a sentence that says what is wrong. */
  health?(): string | undefined;
}

export interface Mount {
  /** Sub-path of the port, for example `/auth/v1`. `request.url` still holds it. */
  readonly prefix: string;
  /** Registered encapsulated: hooks, parsers and error handlers do not leak to siblings. */
  readonly plugin: FastifyPluginAsync;
  /**
   * `open`: the gateway answers preflights and adds `access-control-allow-origin: *` (the local stack's gateway
   * does), exposing `exposeHeaders`. `none`: the service does all of it itself.
   */
  readonly cors: 'open' | 'none';
  readonly exposeHeaders?: readonly string[];
  /**
   * True: the gateway replaces an absent `Authorization`, or one that begins with `Bearer sb_`, by the JWT that
   * belongs to the `apikey` header (the rule of the local stack) before the service sees it.
   */
  readonly apiKeys: boolean;
  /** Who wrote what the mount shows; absent: users of the app, whose documents are shown in a sandbox. */
  readonly documents?: Documents;
  /** True: the service adds its statements to the trace of the request itself (`kernel/trace.ts`). */
  readonly notesStatements?: boolean;
  /** What is answered to a path whose percent signs cannot be decoded, in the service's own shape. */
  readonly badPath?: { readonly status: number; readonly body: object };
  /** WebSocket and other upgrades below the prefix. The service owns the socket from here on. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, caller: UpgradeCaller) => void;
}

/** What the gateway knows of whoever opens a socket. */
export interface UpgradeCaller {
  /** As trusted proxies tell it; empty when the socket is gone. */
  readonly address: string;
  /** False for a web page of another origin: neither in the handshake nor later (`kernel/foreign-page.ts`). */
  readonly mayUseSecretKeys: boolean;
}
