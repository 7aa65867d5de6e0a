/**
 * Lets a command wait until all servers of a database have loaded the schema that the command has changed. The command
 * sends a request on one channel, and each server replies on another channel once it has loaded the schema. PostgreSQL
 * doesn't list the listeners of a channel, so each server holds a shared advisory lock while it listens. The command
 * knows from these locks which servers must reply. [Decision 83](../../docs/decisions/0083-waiting-for-the-schema.md)
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../base/kernel/sql.ts';
import type { ListenerLocks, ListenHub } from './pool/index.ts';
import { Client, type ConnectionOptions } from './wire/index.ts';

const requests = 'plinth_schema';
const replies = 'plinth_schema_loaded';
/** The keys of the advisory lock that each server holds, which are `plin` and `sche` in ASCII. */
const listenerLock = [0x706c696e, 0x73636865] as const;

/** The locks to hold while listening, by channel. */
export const listenerLocks: ListenerLocks = new Map([[requests, listenerLock]]);

type Outcome = 'loaded' | 'failed';

/** The maximum time for which a command waits. A server that is late still loads the schema. */
const maxWaitMs = 10_000;
const checkAfterMs = 500;

/**
 * Replies to requests once `load` has resolved with true. Resolves when the server can receive requests. A request
 * arrives after the notification that makes the REST service reload its schema.
 */
export function answerSchemaRequests(
  hub: ListenHub,
  load: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const reply = async (token: string) => {
    const outcome: Outcome = (await load()) ? 'loaded' : 'failed';
    await hub.notify(replies, `${token} ${outcome}`);
  };
  return hub.listen(
    requests,
    // If the connection is lost, the command no longer waits, because the lock is released.
    (token) => void reply(token).catch(() => undefined),
  );
}

/**
 * Notifies all servers of this database that the schema has changed, and waits until they have loaded it. Returns the
 * number of servers that haven't loaded it yet.
 */
export async function announceSchema(options: ConnectionOptions): Promise<number> {
  const token = randomUUID();
  let waiting: ReadonlySet<number> = new Set();
  const outcomes = new Map<number, string>();
  let wake = () => {};
  const client = await Client.connect({
    ...options,
    onNotification: ({ channel, payload, processId }) => {
      if (channel !== replies || !payload.startsWith(`${token} `)) return;
      outcomes.set(processId, payload.slice(token.length + 1));
      wake();
    },
  });
  try {
    await client.exec(`listen ${replies}`);
    waiting = await selectListeners(client);
    // PostgREST and "plinth rest" know only the first of these channels.
    await client.query(sql`
      select pg_catalog.pg_notify('pgrst', 'reload schema'), pg_catalog.pg_notify(${requests}, ${token})`);
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      const pending = [...waiting].filter((pid) => !outcomes.has(pid));
      if (pending.length === 0 || performance.now() > deadline) {
        const loaded: Outcome = 'loaded';
        return [...waiting].filter((pid) => outcomes.get(pid) !== loaded).length;
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([woken, sleep(checkAfterMs, undefined, { ref: false })]);
      // A server that has stopped doesn't reply.
      waiting = waiting.intersection(await selectListeners(client));
    }
  } finally {
    await client.connection.close();
  }
}

async function selectListeners(client: Client): Promise<ReadonlySet<number>> {
  const [classId, objectId] = listenerLock;
  const rows = await client.query<{ pid: number }>(sql`
    select l.pid from pg_catalog.pg_locks l
    join pg_catalog.pg_database d on d.oid = l.database and d.datname = pg_catalog.current_database()
    where l.locktype = 'advisory' and l.classid = ${classId}::oid and l.objid = ${objectId}::oid and l.objsubid = 2
      and l.mode = 'ShareLock' and l.granted`);
  return new Set(rows.map(({ pid }) => pid));
}
