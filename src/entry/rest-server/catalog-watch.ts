/**
 * Detects changes of the schema on a standby, which can't receive notifications. The catalogs are compared only after the
 * standby has replayed something.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../base/kernel/sql.ts';
import type { Pool } from '../../platform/database/index.ts';

export interface CatalogWatch {
  readonly isRunning: boolean;
  start(): void;
  stop(): void;
}

/** The interval is shorter than the time after which the pool closes its idle connection. */
const INTERVAL_MS = 500;
/** With a large schema, the comparisons take at most this share of the time. */
const MAX_SHARE = 0.1;
const FIRST_USER_OID = 16_384;

const position = sql`
  select case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
    else pg_catalog.pg_current_wal_insert_lsn() end::text as lsn`;

/**
 * The number of rows and the sum of the IDs of the transactions that wrote them, for each catalog that the schema cache
 * and the settings are read from. A change of a row replaces its transaction's ID by a higher one.
 */
const fingerprint = sql`
  select pg_catalog.concat_ws(' ', ${sql.raw(
    [
      'pg_namespace where oid >= $oid',
      'pg_class where oid >= $oid',
      'pg_attribute where attrelid >= $oid',
      'pg_attrdef where adrelid >= $oid',
      'pg_constraint where oid >= $oid',
      'pg_index where indexrelid >= $oid',
      'pg_type where oid >= $oid',
      'pg_enum where enumtypid >= $oid',
      'pg_rewrite where oid >= $oid',
      'pg_proc where oid >= $oid',
      'pg_aggregate where aggfnoid >= $oid',
      'pg_cast where oid >= $oid',
      'pg_description where objoid >= $oid',
      'pg_auth_members where oid >= $oid',
      'pg_db_role_setting',
    ]
      .map((catalog) => catalog.replace('$oid', String(FIRST_USER_OID)))
      .map(
        (catalog) =>
          `(select pg_catalog.concat(pg_catalog.count(*), '/', pg_catalog.sum(xmin::text::bigint)) from pg_catalog.${catalog})`,
      )
      .join(', '),
  )}) as value`;

/** `onChange` is called after the catalogs have changed. The first comparison only reads their state. */
export function createCatalogWatch(pool: Pool, onChange: () => void): CatalogWatch {
  let running: AbortController | undefined;
  let lastLsn: string | undefined;
  let lastValue: string | undefined;

  const look = async (): Promise<void> => {
    const [at] = await pool.query<{ lsn: string | null }>(position);
    if (at?.lsn === lastLsn) return;
    const [found] = await pool.query<{ value: string }>(fingerprint);
    const isFirst = lastValue === undefined;
    const isSame = found?.value === lastValue;
    lastValue = found?.value;
    lastLsn = at?.lsn ?? undefined;
    if (!isFirst && !isSame) onChange();
  };

  const run = async ({ signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      // A failure means that the database is unreachable, which requests report.
      const startedAt = performance.now();
      await look().catch(() => undefined);
      const delayMs = Math.max(INTERVAL_MS, (performance.now() - startedAt) / MAX_SHARE);
      await sleep(delayMs, undefined, { ref: false });
    }
  };

  return {
    get isRunning() {
      return running !== undefined;
    },
    start() {
      if (running !== undefined) return;
      running = new AbortController();
      void run(running);
    },
    stop() {
      running?.abort();
      running = undefined;
      lastLsn = undefined;
      lastValue = undefined;
    },
  };
}
