/**
 * Collects the log lines and request records of a worker, and sends them in batches to the main process. Sends only one
 * batch at a time, so batches grow if the main process reads slowly. The number of waiting entries is limited. Entries
 * above the limit are dropped and counted.
 */
import type { RequestRecord } from '../../base/kernel/trace.ts';
import type { Line } from './messages.ts';

const batchMs = 20;
/**
 * The maximum number of waiting entries, which is about the number of requests that a busy worker handles per second.
 */
const maxWaiting = 20_000;

export type SendEntries = (lines: readonly Line[], records: readonly RequestRecord[]) => Promise<void>;

export class Entries {
  readonly #send: SendEntries;
  #lines: Line[] = [];
  #records: RequestRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;

  constructor(send: SendEntries) {
    this.#send = send;
  }

  get dropped(): number {
    return this.#dropped;
  }

  addLine(line: Line): void {
    if (this.#mayAdd()) this.#lines.push(line);
  }

  addRecord(record: RequestRecord): void {
    if (this.#mayAdd()) this.#records.push(record);
  }

  /** Sends all waiting entries. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending;
    if (this.#lines.length + this.#records.length === 0) return;
    const [lines, records] = [this.#lines, this.#records];
    this.#lines = [];
    this.#records = [];
    this.#sending = this.#send(lines, records).catch(() => {
      this.#dropped += lines.length + records.length;
    });
    await this.#sending;
  }

  #mayAdd(): boolean {
    if (this.#lines.length + this.#records.length >= maxWaiting) {
      this.#dropped += 1;
      return false;
    }
    this.#timer ??= setTimeout(() => void this.flush(), batchMs);
    return true;
  }
}
