/**
 * Registers the routes of some mounts after the port has started to listen. Registering a route compiles part of the
 * router, and compiling all routes before listening would take a sixth of the startup time. The deferred routes have a
 * separate router, because routes can't be added to a router that is in use. Requests for deferred routes wait until
 * these routes are registered.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { originForm } from '../../base/kernel/http.ts';
import type { Mount } from '../../base/kernel/service.ts';
import { findMount } from './paths.ts';

export interface DeferredRoutes {
  register(): Promise<void>;
  /** Returns the Fastify app whose routes serve the path. */
  appOf(path: string): FastifyInstance;
  close(): Promise<void>;
}

/** Returns the deferred routes. @param create Creates the app with the routes of the deferred mounts. */
export function deferRoutes(
  app: FastifyInstance,
  mounts: readonly Mount[],
  create: () => FastifyInstance,
): DeferredRoutes {
  let other: { readonly app: FastifyInstance; readonly ready: Promise<unknown> } | undefined;
  let isReady = false;
  const open = () => {
    if (other === undefined) {
      const created = create();
      const ready = Promise.resolve(created.ready()).then(() => {
        isReady = true;
      });
      other = { app: created, ready };
    }
    return other;
  };
  const isDeferred = (url: string): boolean =>
    findMount(mounts, originForm(url).split('?', 1)[0] ?? '/') !== undefined;
  if (mounts.length > 0) {
    const listeners = app.server.listeners('request') as RequestListener[];
    app.server.removeAllListeners('request');
    app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!isDeferred(request.url ?? '/')) {
        for (const listener of listeners) listener(request, response as never);
        return;
      }
      const { app: target, ready } = open();
      if (isReady) target.routing(request, response);
      else
        ready.then(
          () => target.routing(request, response),
          () => response.destroy(),
        );
    });
  }
  return {
    async register() {
      if (mounts.length > 0) await open().ready;
    },
    appOf: (path) => (isDeferred(path) ? open().app : app),
    async close() {
      await other?.app.close();
    },
  };
}
