/**
 * Locks uploads across processes with PostgreSQL advisory locks. All locks of a process share one database session, so
 * the locks end with the process. A process uses NOTIFY to request a lock from another process.
 */
import { randomUUID } from 'node:crypto';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Database, Session } from '../../../platform/database/types.ts';
import { translateDatabaseError } from '../database-errors.ts';

export interface Lease {
  /** Releases the lock. Returns whether this process held the lock without interruption until the call. */
  release(): Promise<boolean>;
}

export interface LockListener {
  /** Called when another process requests the lock for an upload. */
  wanted(id: string): void;
  /** Called when this process may have lost its locks. */
  lost(): void;
}

export interface SharedLocks {
  /**
   * Tries to acquire the lock for an upload. `id` is a UUID. Returns undefined if another process holds the lock.
   * @throws {StorageError} DatabaseUnavailable, SlowDown
   */
  take(id: string): Promise<Lease | undefined>;
  /** Requests the lock from the process that holds the lock. */
  want(id: string): Promise<void>;
  close(): Promise<void>;
}

const channel = 'plinth_storage_uploads';

/** A database session that several locks share. */
interface Shared {
  readonly session: Promise<Session>;
  users: number;
}

export function openSharedLocks(
  database: Pick<Database, 'pool' | 'listen'>,
  listener: LockListener,
): SharedLocks {
  const pool = database.pool('supabase_storage_admin');
  const own = randomUUID();
  let listening: Promise<() => Promise<void>> | undefined;
  let current: Shared | undefined;

  function listen(): Promise<unknown> {
    listening ??= database.listen(
      channel,
      (payload) => {
        const [from, id = ''] = payload.split(' ');
        if (from !== own) listener.wanted(id);
      },
      undefined,
      () => listener.lost(),
    );
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  }

  function join(): Shared {
    current ??= { session: pool.connect(), users: 0 };
    current.users += 1;
    return current;
  }

  /** Releases a lock. The session is released when it has no more locks. */
  async function leave(shared: Shared): Promise<void> {
    shared.users -= 1;
    if (shared.users > 0 || current !== shared) return;
    current = undefined;
    (await shared.session).release();
  }

  /** Discards a session that has failed. The locks of the session may have been lost. */
  async function abandon(shared: Shared): Promise<void> {
    if (current !== shared) return;
    current = undefined;
    listener.lost();
    await shared.session.then(
      (session) => session.destroy(),
      () => undefined,
    );
  }

  async function release(shared: Shared, key: string): Promise<boolean> {
    try {
      const wasHeld = await ask(shared, sql`pg_advisory_unlock(${key}::bigint)`);
      await leave(shared);
      return wasHeld;
    } catch {
      await abandon(shared);
      return false;
    }
  }

  return {
    async take(id) {
      const key = lockKey(id);
      let shared: Shared | undefined;
      try {
        // The process starts listening before it acquires the lock, so it doesn't miss requests for the lock.
        await listen();
        shared = join();
        if (await ask(shared, sql`pg_try_advisory_lock(${key}::bigint)`)) {
          const taken = shared;
          return { release: () => release(taken, key) };
        }
        await leave(shared);
        return undefined;
      } catch (error) {
        if (shared) await abandon(shared);
        throw translateDatabaseError(error);
      }
    },
    async want(id) {
      await pool.query(sql`select pg_notify(${channel}, ${`${own} ${id}`})`);
    },
    async close() {
      const unlisten = await listening?.catch(() => undefined);
      await unlisten?.();
    },
  };
}

async function ask({ session }: Shared, call: Sql): Promise<boolean> {
  const [row] = await (await session).query<{ done: boolean }>(sql`select ${call} as done`);
  return row?.done === true;
}

/**
 * Returns the key of the advisory lock, which is the second half of the upload's random UUID as a decimal number. With
 * 64 bits, collisions are practically impossible.
 */
function lockKey(id: string): string {
  return String(BigInt.asIntN(64, BigInt(`0x${id.replaceAll('-', '').slice(-16)}`)));
}
