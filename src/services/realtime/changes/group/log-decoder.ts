/**
 * Decodes the messages of the group's log. Recognizes changes that were published before, messages of an earlier slot
 * and missing messages.
 */
import { createLogOpener } from '../../core/bus-seal.ts';
import { type BatchEntry, isRelation, readBatch } from '../../core/change-batch.ts';
import { createDecoder } from '../../core/pgoutput.ts';
import { type Place, Progress } from '../../core/progress.ts';
import type { StreamOptions } from '../stream.ts';
import type { LogMessage } from './change-log.ts';

export interface LogDecoderOptions extends Pick<StreamOptions, 'isWanted' | 'onEvent'> {
  /** The secret that all processes of the group share. */
  readonly secret: string;
  /** Returns the generation of the current slot. */
  readonly currentGeneration: () => Promise<string | undefined>;
  /** Called if changes are missing in the log. */
  readonly onGap: (reason: string) => void;
}

export class LogDecoder {
  readonly #options: LogDecoderOptions;
  readonly #progress = new Progress();
  readonly #open: (chunk: Buffer) => Buffer | undefined;
  readonly #decoder: ReturnType<typeof createDecoder>;
  /** The version of each relation's description that was decoded last. */
  readonly #versions = new Map<number, number>();
  #generation: string | undefined;
  #next: number | undefined;

  constructor(options: LogDecoderOptions) {
    this.#options = options;
    this.#open = createLogOpener(options.secret);
    this.#decoder = createDecoder(options.isWanted);
  }

  /** The position of the next message in the log. Undefined if the next reading begins at the log's end. */
  get next(): number | undefined {
    return this.#next;
  }

  get generation(): string | undefined {
    return this.#generation;
  }

  get place(): Place {
    return this.#progress.place;
  }

  /** Continues at another position, so that no message before it counts as missing. */
  continueAt(next: number): void {
    this.#next = next;
  }

  /** Expects messages of this slot. Positions of another slot can't be compared. */
  expect(generation: string): void {
    if (generation !== this.#generation) this.#progress.restart();
    this.#generation = generation;
  }

  /** Forgets the position and the slot. */
  reset(): void {
    this.#next = undefined;
    this.#generation = undefined;
  }

  async receive({ sequence, data }: LogMessage): Promise<void> {
    // Messages are missing if JetStream has discarded them because of the log's limits.
    const isGap = this.#next !== undefined && sequence !== this.#next;
    this.#next = sequence + 1;
    if (isGap) this.#options.onGap('changes were discarded before they were read');
    const bytes = this.#open(data);
    if (bytes === undefined) return;
    const { generation, entries } = readBatch(bytes);
    if (generation !== this.#generation && !(await this.#adopt(generation))) return;
    for (const entry of entries) this.#process(entry, sequence);
  }

  /** Whether the generation is that of the current slot. */
  async #adopt(generation: string): Promise<boolean> {
    if ((await this.#options.currentGeneration()) !== generation) return false;
    const isFirst = this.#generation === undefined;
    this.expect(generation);
    if (!isFirst) this.#options.onGap('a new slot was created');
    return true;
  }

  #process(entry: BatchEntry, sequence: number): void {
    const { message, number } = entry;
    if (isRelation(entry)) {
      const oid = message.readUInt32BE(1);
      if (this.#versions.get(oid) === number) return;
      this.#versions.set(oid, number);
    } else if (!this.#progress.admits(message, number)) return;
    const event = this.#decoder.decode(message);
    if (event !== undefined) this.#options.onEvent(event, { ...this.#progress.place, sequence });
  }
}
