/** The connections that another process has accepted and passed to this process. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
