/** Writes rows at a fixed rate, and records which of them were acknowledged. Survives a change of the primary. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface Writer {
  /** The IDs of the rows whose commit was acknowledged. */
  readonly acknowledged: readonly number[];
  /** The times of the acknowledgments, in milliseconds of `performance.now()`. */
  readonly times: readonly number[];
  stop(): Promise<void>;
}

export interface WriterOptions {
  /** The URLs of the servers, of which the first one that accepts writes is used. */
  readonly urls: readonly string[];
  readonly rowsPerSecond: number;
  /** The number of rows in a transaction. */
  readonly batch?: number;
  readonly firstId?: number;
  /** The statement. `$1` is the list of IDs. */
  readonly statement?: string;
}

const insert = 'insert into public.rows (id) select unnest($1::bigint[])';

export function startWriter(options: WriterOptions): Writer {
  const { urls, rowsPerSecond, batch = 1, firstId = 1, statement = insert } = options;
  const acknowledged: number[] = [];
  const times: number[] = [];
  let isStopped = false;
  let client: pg.Client | undefined;
  let at = 0;

  async function open(): Promise<pg.Client> {
    const opened = new pg.Client({ connectionString: urls[at % urls.length], connectionTimeoutMillis: 1000 });
    opened.on('error', () => {});
    await opened.connect();
    const { rows } = await opened.query('select pg_is_in_recovery() as standby');
    if (!rows[0].standby) return opened;
    await opened.end();
    throw new Error('a standby');
  }

  async function write(): Promise<void> {
    const startedAt = performance.now();
    for (let next = firstId; !isStopped; next += batch) {
      const due = startedAt + ((next - firstId) / rowsPerSecond) * 1000;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      const ids = Array.from({ length: batch }, (_, index) => next + index);
      try {
        client ??= await open();
        await client.query({ name: 'write', text: statement, values: [ids] });
        acknowledged.push(...ids);
        times.push(performance.now());
      } catch {
        // The row may have been committed without an acknowledgment. It isn't counted, and the next one has a new ID.
        await client?.end().catch(() => {});
        client = undefined;
        at++;
        await sleep(50);
      }
    }
    await client?.end().catch(() => {});
  }

  const done = write();
  return {
    acknowledged,
    times,
    stop() {
      isStopped = true;
      return done;
    },
  };
}

/** Returns the longest time, in seconds, between two acknowledgments. */
export const longestPause = ({ times }: Pick<Writer, 'times'>): number =>
  Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time))) / 1000;
