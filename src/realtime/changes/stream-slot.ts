/** The replication slot of the change stream: reuse after an interruption, removal and the WAL that it retains. */
import type { Pool } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { dropSlot, endServer, newSlot, type Slot, slotState } from './slot.ts';

export interface StreamSlotOptions {
  /** A role with REPLICATION, because only such roles can manage slots and see their connections. */
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly maxWalBytes: number;
}

const mib = (bytes: number): number => Math.round(bytes / 1024 ** 2);

export class StreamSlot {
  readonly #options: StreamSlotOptions;
  #slot: Slot | undefined;
  #retainedBytes: number | undefined;
  #warning: string | undefined;
  /** Permanent slots that are no longer needed but may still exist, each with the process that created it. */
  readonly #leftovers = new Map<string, number>();
  /** The server process of the stream's connection. */
  serverPid = 0;

  constructor(options: StreamSlotOptions) {
    this.#options = options;
  }

  get name(): string | undefined {
    return this.#slot?.name;
  }

  /** A message while the slot retains much WAL. */
  get warning(): string | undefined {
    return this.#warning;
  }

  get report() {
    const { maxWalBytes } = this.#options;
    return this.#slot && { ...this.#slot, retainedBytes: this.#retainedBytes, maxBytes: maxWalBytes };
  }

  /** Whether the previous stream's slot can be reused. Terminates the server process that remains from that stream. */
  async isResumable(): Promise<boolean> {
    if (this.#slot === undefined) return false;
    const pool = this.#options.pool();
    const found = this.#slot.permanent ? await slotState(pool, this.#slot.name) : undefined;
    if (found?.usable !== true) {
      this.giveUp();
      return false;
    }
    if (found.active_pid !== null) await endServer(pool, found.active_pid);
    return true;
  }

  /** Chooses a new slot. The server may create it even if its response to the command is lost. */
  async choose(serverVersion: number): Promise<Slot> {
    const slot = await newSlot(this.#options.pool(), serverVersion);
    this.#slot = slot;
    return slot;
  }

  giveUp(): void {
    if (this.#slot?.permanent) this.#leftovers.set(this.#slot.name, this.serverPid);
    this.#slot = undefined;
  }

  async dropLeftovers(): Promise<void> {
    for (const [name, maker] of [...this.#leftovers]) {
      await dropSlot(this.#options.pool(), name, maker);
      this.#leftovers.delete(name);
    }
  }

  /** Logs high WAL retention. Returns false, and gives up the slot, if too much is retained. */
  async checkWal(): Promise<boolean> {
    const { pool, log, maxWalBytes } = this.#options;
    const slot = this.#slot;
    const found = slot && (await slotState(pool(), slot.name));
    if (slot === undefined || found === undefined || slot !== this.#slot) return true;
    const retainedBytes = found.retained_bytes;
    this.#retainedBytes = retainedBytes;
    const facts = { slot: slot.name, retainedBytes, maxBytes: maxWalBytes };
    if (retainedBytes > maxWalBytes) {
      log.error(facts, 'PostgreSQL retains too much WAL for realtime; discarding undelivered changes');
      this.#warning = undefined;
      this.giveUp();
      return false;
    }
    if (retainedBytes > maxWalBytes / 2) {
      if (this.#warning === undefined) log.warn(facts, 'PostgreSQL retains a lot of WAL for realtime');
      this.#warning = `PostgreSQL keeps ${mib(retainedBytes)} MiB of WAL for the stream of changes; beyond ${mib(maxWalBytes)} MiB they are given up`;
    } else this.#warning = undefined;
    return true;
  }
}
