/**
 * Implements a bus over a transport, with batches, sequence numbers and leases. If no message is received from a
 * process within its lease, the process and its members' presence are removed. A process that has missed messages
 * requests the presence state again.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../base/kernel/log.ts';
import { createOpener, createSealer } from '../core/bus-seal.ts';
import { firstRetryMs, lastRetryMs, Outbox } from './outbox.ts';
import { Peers } from './peers.ts';
import type { Bus, BusListener, SharedMessage, Transport } from './types.ts';

/** Creates the bus for a process that is the only process serving its database. */
export function createLocalBus(): Bus {
  return {
    send() {},
    peers: 0,
    trouble: undefined,
    async start() {},
    async stop() {},
  };
}

interface GroupOptions {
  readonly transport: Transport;
  /** The secret that all processes of the group share. */
  readonly secret: string;
  readonly log: Logger;
  /** The interval at which each process sends a message. */
  readonly aliveMs?: number;
  readonly leaseMs?: number;
}

const defaultAliveMs = 2_000;
const defaultLeaseMs = 10_000;
const startTimeoutMs = 2_000;
const farewellMs = 1_000;

export const createGroupBus = (options: GroupOptions): Bus => new GroupBus(options);

class GroupBus implements Bus {
  readonly #transport: Transport;
  readonly #log: Logger;
  readonly #aliveMs: number;
  readonly #leaseMs: number;
  readonly #outbox: Outbox;
  readonly #peers: Peers;
  #listener: BusListener | undefined;
  #unlisten: (() => Promise<void>) | undefined;
  #receives = false;
  #greetedAt = 0;
  #beatenAt = 0;
  #heartbeat: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor({ transport, secret, log, aliveMs = defaultAliveMs, leaseMs = defaultLeaseMs }: GroupOptions) {
    const origin = randomBytes(16);
    const sealer = createSealer(secret, origin, transport.maxChunkBytes);
    const opener = createOpener(secret, origin);
    this.#transport = transport;
    this.#log = log;
    this.#aliveMs = aliveMs;
    this.#leaseMs = leaseMs;
    this.#outbox = new Outbox({
      transport,
      sealer,
      log,
      ownPresence: () => this.#listener?.ownPresence() ?? [],
    });
    const listener = () => this.#listener;
    this.#peers = new Peers({ id: origin.toString('hex'), opener, outbox: this.#outbox, log, listener });
  }

  send(message: SharedMessage): void {
    // The message isn't sent if no other process holds a lease, because no other process is then running. A process
    // that starts later requests the presence state.
    if (this.#peers.size > 0 || performance.now() - this.#greetedAt < this.#leaseMs)
      this.#outbox.add(message);
  }

  get peers(): number {
    return this.#peers.size;
  }

  get trouble(): string | undefined {
    if (this.#listener !== undefined && !this.#receives)
      return `messages from other processes don't arrive over ${this.#transport.name}`;
    return this.#outbox.trouble;
  }

  async start(listener: BusListener): Promise<void> {
    this.#listener = listener;
    const listening = this.#listen();
    this.#beatenAt = performance.now();
    this.#heartbeat = setInterval(() => this.#beat(), this.#aliveMs).unref();
    await atMost(listening, startTimeoutMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#outbox.stopRetrying();
    if (this.#peers.size > 0 || this.#outbox.sending !== undefined) {
      this.#outbox.add({ kind: 'bye' });
      await atMost(this.#outbox.sending, farewellMs);
    }
    this.#stopped = true;
    this.#outbox.close();
    await this.#unlisten?.().catch((error: unknown) =>
      this.#log.debug({ error }, 'failed to close the connection to other processes'),
    );
  }

  async #listen(): Promise<void> {
    for (let delayMs = firstRetryMs; !this.#stopped; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
      try {
        const end = await this.#transport.listen({
          chunk: (chunk) => {
            if (!this.#stopped) this.#peers.receiveChunk(chunk);
          },
          lost: () => {
            this.#receives = false;
            this.#log.warn({}, 'not receiving messages from other processes');
          },
          restored: () => this.#greet(),
        });
        if (this.#stopped) return await end();
        this.#unlisten = end;
        this.#greet();
        return;
      } catch (error) {
        this.#log.warn({ error }, "can't receive messages from other processes yet");
        await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      }
    }
  }

  #greet(): void {
    this.#receives = true;
    this.#greetedAt = performance.now();
    this.#outbox.addWithState({ kind: 'hello' });
  }

  #beat(): void {
    const now = performance.now();
    // If this process has stalled or can't receive messages, other processes may be running even though no messages
    // arrived.
    const isLate = now - this.#beatenAt > this.#aliveMs * 2;
    this.#beatenAt = now;
    if (isLate || !this.#receives) this.#peers.renewAll(now);
    this.#peers.expire(now, this.#leaseMs);
    if (this.#outbox.isEmpty) this.#outbox.add({ kind: 'alive' });
  }
}

/** Waits until the promise settles or `timeoutMs` has passed. */
async function atMost(promise: Promise<void> | undefined, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
