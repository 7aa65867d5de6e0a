/**
 * Prepares to close a port without interrupting requests. The port accepts new connections until the load balancer
 * detects that the server isn't ready. Each connection is closed after its next response.
 */

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as afterAccepting, setTimeout as sleep } from 'node:timers/promises';

export interface Drain {
  /** Called for each request. */
  request(response: ServerResponse): void;
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
    request(response) {
      // With `shouldKeepAlive` off, Node closes the socket after the response.
      if (isDraining) response.shouldKeepAlive = false;
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

/** The connections that another process has accepted and passed to this process. */
export class HandedOver {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #waiting: (() => void)[] = [];

  constructor(server: Server) {
    this.#server = server;
  }

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      for (const check of this.#waiting) check();
    });
    // Node's documentation describes emitting this event for connections that the server hasn't accepted itself.
    this.#server.emit('connection', socket);
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Resolves when no connections other than those in `except` are open. */
  whenIdle(except: ReadonlySet<object>): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if ([...this.#open].some((socket) => !except.has(socket))) return;
        this.#waiting = this.#waiting.filter((one) => one !== check);
        resolve();
      };
      this.#waiting.push(check);
      check();
    });
  }
}
