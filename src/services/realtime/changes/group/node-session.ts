/**
 * The session with which a process shows the other processes of its group that it is running, and whether it needs the
 * group's slot. PostgreSQL releases the session's advisory locks as soon as the process ends, however it ends.
 */
import type { Logger } from '../../../../base/kernel/log.ts';
import { sql } from '../../../../base/kernel/sql.ts';
import type { Pool, Queryable, Session } from '../../../../platform/database/types.ts';

/**
 * The first keys of the locks (`rtch`), and the second keys (`want`, `slot`), in ASCII. The first key must differ from
 * that of the locks in `exclusive-lock.ts`, which count all locks of their kind.
 */
const lockClass = 0x72746368;
const wanted = 0x77616e74;
const slotLock = 0x736c6f74;
const beatMs = 1_000;

export interface NodeSession {
  /** Holds the shared lock that shows that this process needs the group's slot, until {@link release} is called. */
  want(): Promise<void>;
  release(): Promise<void>;
  /** Runs `work` if no other process is creating or dropping the group's slot. Otherwise, resolves with undefined. */
  alone<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function createNodeSession({
  pool,
  log,
}: {
  readonly pool: () => Pool;
  readonly log: Logger;
}): NodeSession {
  let session: Session | undefined;
  let beat: NodeJS.Timeout | undefined;
  let isWanted = false;

  const lock = async (): Promise<void> => {
    const fresh = await pool().connect();
    try {
      await fresh.query(
        sql`select pg_catalog.pg_try_advisory_lock_shared(${lockClass}::int, ${wanted}::int)`,
      );
    } catch (error) {
      fresh.destroy();
      throw error;
    }
    session = fresh;
  };
  const check = async (): Promise<void> => {
    try {
      if (session === undefined) await lock();
      else await session.query(sql`select 1`);
    } catch (error) {
      session?.destroy();
      session = undefined;
      log.debug({ error }, "lost the session that shows that this process needs the group's slot");
    }
  };

  return {
    async want() {
      if (isWanted) return;
      await lock();
      isWanted = true;
      beat = setInterval(() => void check(), beatMs).unref();
    },
    async release() {
      isWanted = false;
      clearInterval(beat);
      const last = session;
      session = undefined;
      // The lock must be released when this function resolves, and the server detects the end of a connection later.
      await last
        ?.query(sql`select pg_catalog.pg_advisory_unlock_all()`)
        .catch((error: unknown) => log.debug({ error }, "failed to release the lock on the group's slot"));
      last?.destroy();
    },
    async alone(work) {
      const own = await pool().connect();
      try {
        const [row] = await own.query<{ locked: boolean }>(
          sql`select pg_catalog.pg_try_advisory_lock(${lockClass}::int, ${slotLock}::int) as locked`,
        );
        return row?.locked === true ? await work() : undefined;
      } finally {
        own.destroy();
      }
    },
  };
}

/**
 * Whether a process of the group needs its slot. The result is true shortly after a start of the server, because the
 * processes must first connect again.
 */
export async function isSlotWanted(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ wanted: boolean }>(sql`
    select pg_postmaster_start_time() > now() - interval '15 seconds' or exists (
      select from pg_catalog.pg_locks l
      join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()
      where l.locktype = 'advisory' and l.classid = ${lockClass}::oid and l.objid = ${wanted}::oid
        and l.objsubid = 2 and l.mode = 'ShareLock' and l.granted
    ) as wanted`);
  return row?.wanted !== false;
}
