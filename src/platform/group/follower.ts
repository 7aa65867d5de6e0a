/**
 * Follows the changes of other nodes and of commands on this node, and keeps this node's row. Notifications make other
 * nodes' changes known immediately. Each node also notifies itself regularly, so that it detects that notifications
 * don't arrive, for example because of a pooler, and then polls often.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import type { Database, Pool } from '../database/types.ts';
import { channel } from './group.ts';
import { messagePayload } from './message-queries.ts';
import { type NodeRow, recordNode } from './nodes.ts';

export interface FollowedState {
  hasChangedFiles(): boolean;
  sync(): Promise<void>;
}

export interface Follower {
  stop(): Promise<void>;
}

interface FollowerOptions {
  readonly pool: Pool;
  readonly listen: Database['listen'];
  readonly state: FollowedState;
  readonly node: NodeRow;
  /** Called when another node may have sent a message. */
  readonly onMessage: () => void;
  readonly log: Logger;
}

/** The interval at which the node checks its files, and the database if notifications don't arrive. */
const tickMs = 700;
/** The interval at which the node renews its row, notifies all nodes, and checks the database. */
const beatMs = 4000;
/** The minimum time between two reactions to notifications, because every role can send them. */
const minPauseMs = 50;
const retryMs = 2000;
/** The maximum time to wait for a connection that is being opened when the node stops. */
const stopMs = 1000;

export function followGroup(options: FollowerOptions): Follower {
  const follower = new GroupFollower(options);
  const running = follower.run();
  return {
    async stop() {
      await follower.stop();
      await running;
    },
  };
}

class GroupFollower {
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  #woken = Promise.withResolvers<void>();
  #heardAt = Number.NEGATIVE_INFINITY;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #beatenAt = Number.NEGATIVE_INFINITY;
  #isNotified = false;
  /** Resolves with a function that stops listening. Undefined if the last attempt has failed. */
  #listening: Promise<(() => Promise<void>) | undefined | void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { state, log } = this.#options;
    const { signal } = this.#stopping;
    let isFailing = false;
    while (!signal.aborted) {
      try {
        this.#listen();
        if (this.#isDue() || state.hasChangedFiles()) {
          this.#isNotified = false;
          this.#syncedAt = performance.now();
          await state.sync();
        }
        if (!this.#hears()) this.#options.onMessage();
        await this.#beat();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !signal.aborted)
          log.warn({ error }, "the state of the other nodes can't be read or stored; trying again");
        isFailing = true;
      }
      await this.#pause(isFailing ? retryMs : tickMs);
    }
  }

  #isDue(): boolean {
    return this.#isNotified || performance.now() - this.#syncedAt >= (this.#hears() ? beatMs : 0);
  }

  #hears(): boolean {
    return performance.now() - this.#heardAt < beatMs + 2 * tickMs;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(minPauseMs, undefined, { ref: false });
    if (this.#isNotified || this.#stopping.signal.aborted) return;
    const timer = new AbortController();
    const { signal } = timer;
    const rest = sleep(ms - minPauseMs, undefined, { ref: false, signal }).catch(() => undefined);
    await Promise.race([this.#woken.promise, rest]);
    timer.abort();
  }

  /** Starts to listen. Doesn't wait, because the follower polls until notifications arrive. */
  #listen(): void {
    if (this.#listening !== undefined) return;
    const { node, onMessage } = this.#options;
    const ownMessage = messagePayload(node.id);
    const onNotify = (payload: string): void => {
      this.#heardAt = performance.now();
      if (payload === ownMessage) onMessage();
      if (payload === 'alive' || payload.startsWith(messagePayload(''))) return;
      this.#isNotified = true;
      this.#wake();
    };
    this.#listening = this.#options.listen(channel, onNotify).catch(() => {
      this.#listening = undefined;
    });
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }

  async #beat(): Promise<void> {
    if (performance.now() - this.#beatenAt < beatMs) return;
    this.#beatenAt = performance.now();
    await recordNode(this.#options.pool, this.#options.node, channel);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    const unlisten = await Promise.race([this.#listening, sleep(stopMs, undefined, { ref: false })]);
    await unlisten?.().catch(() => undefined);
  }
}
