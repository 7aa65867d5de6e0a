/**
 * Lets only one process at a time prepare or migrate a database. Every role that can sign in can take any advisory
 * lock, so a lock with a fixed key would let a role without privileges stop all starts and migrations. Each process
 * therefore takes a lock with a random key and then looks for other processes that hold a lock of the same kind. Only
 * locks of Plinth's own account and of superusers count.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from './types.ts';

/** The first keys of the advisory locks, which are `plin` and `proj` in ASCII. */
const kinds = { preparation: 0x706c696e, project: 0x70726f6a } as const;
export type ExclusiveWork = keyof typeof kinds;

const keys = 2 ** 31;
const minPauseMs = 50;
const maxPauseMs = 250;
const reportEveryMs = 30_000;

interface Waiting {
  /** Called every 30 seconds while another process is doing the work. */
  readonly onWait?: (() => void) | undefined;
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until no other process does this work in the session's database, and prevents others from doing it until the
 * session ends or the returned function is called. If the wait is aborted, throws the signal's reason.
 * @example
 * const unlock = await lockExclusively(session, 'project');
 */
export async function lockExclusively(
  session: Queryable,
  work: ExclusiveWork,
  { onWait, signal }: Waiting = {},
): Promise<() => Promise<void>> {
  const kind = kinds[work];
  let reportedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const key = randomInt(keys);
    const [lock] = await session.query<{ isOurs: boolean }>(
      sql`select pg_catalog.pg_try_advisory_lock(${kind}::int, ${key}::int) as "isOurs"`,
    );
    if (lock?.isOurs === true) {
      const unlock = async () => {
        await session.query(sql`select pg_catalog.pg_advisory_unlock(${kind}::int, ${key}::int)`);
      };
      // Of two processes that take their locks at the same time, at least one sees the other's lock.
      if (!(await isDoneByOthers(session, kind))) return unlock;
      await unlock();
      if (performance.now() - reportedAt >= reportEveryMs) {
        reportedAt = performance.now();
        onWait?.();
      }
    }
    // The pause is random because processes that see each other's locks all try again.
    await sleep(randomInt(minPauseMs, maxPauseMs), undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
}

async function isDoneByOthers(session: Queryable, kind: number): Promise<boolean> {
  const [row] = await session.query<{ isDone: boolean }>(sql`
    select exists (
      select from pg_catalog.pg_locks l
      join pg_catalog.pg_stat_activity a on a.pid = l.pid
      join pg_catalog.pg_roles r on r.oid = a.usesysid
      where l.locktype = 'advisory' and l.classid = ${kind}::oid and l.objsubid = 2 and l.granted
        and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
        and l.pid <> pg_catalog.pg_backend_pid() and (r.rolsuper or r.rolname = session_user)
    ) as "isDone"`);
  return row?.isDone === true;
}
