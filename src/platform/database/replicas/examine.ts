/** Examines read replicas once, for a report. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable, ReplicaState } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { readLsn } from './lsn.ts';
import { clusterIdentifier, observation, otherCluster, RESPONSE_TIMEOUT_MS } from './replica.ts';

export interface ReplicaExamination {
  /** A session on the primary. */
  readonly session: Queryable;
  /** The maximum time for a replica to replay what has been flushed on the primary. */
  readonly maxLagMs: number;
}

const POLL_MS = 50;

/** Connects to a replica, and waits until it has replayed the primary's current position. */
export async function examineReplica(
  target: ConnectionOptions,
  { session, maxLagMs }: ReplicaExamination,
): Promise<ReplicaState> {
  const name = `${target.host}:${target.port}`;
  let client: Client | undefined;
  try {
    const [primary] = await session.query<{ id: string; lsn: string }>(sql`
      select system_identifier::text as id, pg_catalog.pg_current_wal_flush_lsn()::text as lsn
      from pg_catalog.pg_control_system()`);
    client = await Client.connect({ ...target, connectTimeoutMs: RESPONSE_TIMEOUT_MS });
    const [cluster] = await client.query<{ id: string }>(clusterIdentifier);
    if (cluster?.id !== primary?.id) throw new Error(otherCluster);
    for (const startedAt = performance.now(); ; await sleep(POLL_MS)) {
      const [row] = await client.query<{ isStandby: boolean; lsn: string | null }>(observation);
      const lagMs = performance.now() - startedAt;
      if (row?.isStandby !== true)
        return { name, status: 'not a standby', lagMs: undefined, error: undefined };
      if ((readLsn(row.lsn ?? '') ?? 0n) >= (readLsn(primary?.lsn ?? '') ?? 0n))
        return { name, status: 'ready', lagMs, error: undefined };
      if (lagMs > maxLagMs) return { name, status: 'lagging', lagMs, error: undefined };
    }
  } catch (error) {
    return { name, status: 'unreachable', lagMs: undefined, error: (error as Error).message };
  } finally {
    client?.connection.destroy();
  }
}
