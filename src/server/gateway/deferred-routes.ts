/**
 * Registers the routes of some mounts after the port has started to listen. Registering a route compiles part of the
 * router, and compiling all routes before listening would take a sixth of the startup time. The deferred routes have
 * separate routers, because routes can't be added to a router that is in use. Requests for deferred routes wait until
 * these routes are registered.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Mount } from '../../base/kernel/service.ts';
import { createMountFinder } from './paths.ts';

/** Mounts whose routes are registered together. */
export interface RouteGroup {
  readonly mounts: readonly Mount[];
  /** Whether the routes are registered only for the first request. */
  readonly isOnDemand: boolean;
  /** Creates the app with the routes of the mounts. */
  create(): FastifyInstance;
}

export interface DeferredRoutes {
  /** Registers the routes of the groups that aren't registered on demand. */
  register(): Promise<void>;
  /** Registers all routes. */
  registerAll(): Promise<void>;
  /** Returns the Fastify app whose routes serve the path. */
  appOf(path: string): FastifyInstance;
  close(): Promise<void>;
}

/** @param onError called if the routes of a group can't be registered. All requests for the group then fail. */
export function deferRoutes(
  app: FastifyInstance,
  given: readonly RouteGroup[],
  onError: (error: unknown) => void,
): DeferredRoutes {
  const groups = given
    .filter(({ mounts }) => mounts.length > 0)
    .map((group) => new DeferredGroup(group, onError));
  const groupByMount = new Map(groups.flatMap((group) => group.mounts.map((mount) => [mount, group])));
  const allMounts = groups.flatMap(({ mounts }) => mounts);
  const mountOf = createMountFinder(allMounts);
  const groupOf = (url: string): DeferredGroup | undefined => {
    const mount = mountOf(url);
    return mount && groupByMount.get(mount);
  };
  if (groups.length > 0) {
    const listeners = app.server.listeners('request') as RequestListener[];
    app.server.removeAllListeners('request');
    app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const group = groupOf(request.url ?? '/');
      if (group === undefined) for (const listener of listeners) listener(request, response as never);
      else group.handle(request, response);
    });
  }
  return {
    async register() {
      await Promise.all(groups.map(async (group) => group.isOnDemand || (await group.registered())));
    },
    async registerAll() {
      await Promise.all(groups.map((group) => group.registered()));
    },
    appOf: (path) => groupOf(path)?.app ?? app,
    async close() {
      await Promise.all(groups.map((group) => group.close()));
    },
  };
}

class DeferredGroup {
  readonly mounts: readonly Mount[];
  readonly isOnDemand: boolean;
  readonly #create: () => FastifyInstance;
  readonly #onError: (error: unknown) => void;
  #opened: { readonly app: FastifyInstance; readonly ready: Promise<void> } | undefined;
  #isReady = false;

  constructor({ mounts, isOnDemand, create }: RouteGroup, onError: (error: unknown) => void) {
    this.mounts = mounts;
    this.isOnDemand = isOnDemand;
    this.#create = create;
    this.#onError = onError;
  }

  get app(): FastifyInstance {
    return this.#open().app;
  }

  registered(): Promise<void> {
    return this.#open().ready;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { app, ready } = this.#open();
    if (this.#isReady) app.routing(request, response);
    else
      ready.then(
        () => app.routing(request, response),
        () => response.destroy(),
      );
  }

  async close(): Promise<void> {
    await this.#opened?.app.close();
  }

  #open() {
    if (this.#opened === undefined) {
      const app = this.#create();
      const ready = Promise.resolve(app.ready()).then(() => {
        this.#isReady = true;
      });
      ready.catch(this.#onError);
      this.#opened = { app, ready };
    }
    return this.#opened;
  }
}
