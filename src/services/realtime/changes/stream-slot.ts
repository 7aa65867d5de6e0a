/**
 * Manages the change stream's replication slot. Reuses the slot after an interruption, removes an unneeded slot, and
 * checks how much WAL the slot retains.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import type { Pool } from '../../../platform/database/types.ts';
import { dropSlot, endServer, newSlot, type Slot, slotState } from './slot.ts';

export interface StreamSlotOptions {
  /** A pool whose role has REPLICATION, because only such roles can manage slots and see the slots' connections. */
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly maxWalBytes: () => number;
}

const mib = (bytes: number): number => Math.round(bytes / 1024 ** 2);

export class StreamSlot {
  readonly #options: StreamSlotOptions;
  #slot: Slot | undefined;
  #retainedBytes: number | undefined;
  #warning: string | undefined;
  /** Permanent slots that are no longer needed but may still exist, each with the server process that created it. */
  readonly #leftovers = new Map<string, number>();
  /** The server process of the stream's connection. */
  serverPid = 0;

  constructor(options: StreamSlotOptions) {
    this.#options = options;
  }

  get name(): string | undefined {
    return this.#slot?.name;
  }

  /** A warning to show while the slot retains a large amount of WAL. */
  get warning(): string | undefined {
    return this.#warning;
  }

  get report() {
    const maxBytes = this.#options.maxWalBytes();
    return this.#slot && { ...this.#slot, retainedBytes: this.#retainedBytes, maxBytes };
  }

  /**
   * Whether the previous stream's slot can be reused. Terminates the previous stream's server process if it is still
   * running.
   */
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

  /**
   * Chooses the name of a new slot. The name is stored before the slot is created, because the server may create the
   * slot even if its response to the command is lost.
   */
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
    for (const [name, creatorPid] of [...this.#leftovers]) {
      await dropSlot(this.#options.pool(), name, creatorPid);
      this.#leftovers.delete(name);
    }
  }

  /**
   * Logs a warning if the slot retains a large amount of WAL. Abandons the slot and returns false if the slot retains
   * more WAL than the limit allows.
   */
  async checkWal(): Promise<boolean> {
    const { pool, log } = this.#options;
    const maxWalBytes = this.#options.maxWalBytes();
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
      this.#warning = `PostgreSQL retains ${mib(retainedBytes)} MiB of WAL for undelivered changes; above ${mib(maxWalBytes)} MiB, the changes are discarded`;
    } else this.#warning = undefined;
    return true;
  }
}
