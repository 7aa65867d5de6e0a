/**
 * Prepares to close a port without interrupting requests. The port accepts new connections until the load balancer
 * detects that the server isn't ready. Each connection is closed after its next response.
 */
import { setImmediate as afterAccepting, setTimeout as sleep } from 'node:timers/promises';
import type { onRequestHookHandler } from 'fastify';

export interface Drain {
  readonly onRequest: onRequestHookHandler;
  /**
   * Waits for `drainMs` milliseconds, or until `isIdle` resolves, and until the server has accepted the connections
   * that were queued in the kernel. If the port is closed immediately afterward, only connections that arrive between
   * these two steps are reset.
   */
  begin(drainMs: number, isIdle?: Promise<void>): Promise<void>;
}

const never = new Promise<void>(() => undefined);

export function createDrain(): Drain {
  let isDraining = false;
  return {
    onRequest(_request, reply, done) {
      // With `shouldKeepAlive` off, Node closes the socket after the response.
      if (isDraining) reply.raw.shouldKeepAlive = false;
      done();
    },
    async begin(drainMs, isIdle = never) {
      isDraining = true;
      if (drainMs === 0) return;
      const waiting = new AbortController();
      await Promise.race([
        sleep(drainMs, undefined, { signal: waiting.signal }).catch(() => undefined),
        isIdle.finally(() => waiting.abort()),
      ]);
      await afterAccepting();
    },
  };
}
