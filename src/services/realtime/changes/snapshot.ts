/**
 * Reads the rows that were committed before a stream of changes began. The session's role is the tables' owner, because
 * policies and indexes contain project code, which must not run as a role that can create slots.
 */
import { quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { StreamOptions } from './stream.ts';

/**
 * Runs `work` with the exported snapshot, or with a new snapshot if `name` is undefined. The snapshot is valid until the
 * next command on the connection that exported it.
 */
export async function withSnapshot(
  database: Database,
  name: string | undefined,
  work: StreamOptions['onSnapshot'],
): Promise<void> {
  const session = await database.pool('supabase_realtime_admin').connect();
  try {
    const chosen = name === undefined ? '' : `; set transaction snapshot ${quoteLiteral(name)}`;
    await session.exec(`begin isolation level repeatable read read only${chosen}`);
    await work(async (text) => {
      const { columns, rows } = await session.queryText(sql`${sql.raw(text)}`);
      return rows.map((row) =>
        Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null])),
      );
    });
    await session.exec('commit');
  } finally {
    session.release();
  }
}
