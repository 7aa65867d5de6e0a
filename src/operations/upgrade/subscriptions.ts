/** Moves the state of subscriptions and replication slots, which SQL statements can't recreate. */

import { quoteIdentifier, quoteLiteral, sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

interface SubscriptionState {
  readonly name: string;
  readonly connection: string;
  readonly enabled: boolean;
  /** The position up to which the publisher's changes have been applied. */
  readonly position: string | null;
  readonly tables: { table: string; state: string; lsn: string | null }[];
}

/**
 * Moves the state of subscriptions. A new subscription continues where the old one ended, because its tables keep their
 * state and the replication origin keeps its position. The workers of the subscription start when the server first
 * starts regularly.
 */
export async function moveSubscriptions(source: CopySession, target: CopySession): Promise<void> {
  const states = await source.query<SubscriptionState>(sql`
    select subname::text as name, subconninfo as connection, subenabled as enabled,
      (select remote_lsn::text from pg_replication_origin_status o where o.external_id = 'pg_' || s.oid) as position,
      coalesce((select json_agg(json_build_object('table', srrelid::regclass::text, 'state', srsubstate, 'lsn', srsublsn::text))
        from pg_subscription_rel where srsubid = s.oid), '[]') as tables
    from pg_subscription s join pg_database d on d.oid = s.subdbid where d.datname = current_database()`);
  for (const { name, connection, enabled, position, tables } of states) {
    const subscription = quoteIdentifier(name);
    await target.exec(`alter subscription ${subscription} connection ${quoteLiteral(connection)}`);
    await target.query(sql`
      select pg_replication_origin_create('pg_' || oid) from pg_subscription s
      where subname = ${name} and not exists (select from pg_replication_origin where roname = 'pg_' || s.oid)`);
    if (position !== null)
      await target.query(sql`
        select pg_replication_origin_advance('pg_' || oid, ${position}::pg_lsn) from pg_subscription where subname = ${name}`);
    await target.exec(`begin; set local allow_system_table_mods = on;
      insert into pg_catalog.pg_subscription_rel (srsubid, srrelid, srsubstate, srsublsn)
        select s.oid, t."table"::pg_catalog.regclass, t.state::"char", t.lsn::pg_catalog.pg_lsn
        from pg_catalog.pg_subscription s,
          jsonb_to_recordset(${quoteLiteral(JSON.stringify(tables))}::jsonb) as t ("table" text, state text, lsn text)
        where s.subname = ${quoteLiteral(name)};
      commit`);
    if (enabled) await target.exec(`alter subscription ${subscription} enable`);
  }
}

export interface SlotRow {
  readonly name: string;
  readonly type: 'physical' | 'logical';
  readonly plugin: string | null;
  readonly database: string | null;
  readonly twoPhase: boolean;
}

/** Matches the slots that Plinth creates itself. */
const ownSlot = /^(supabase_realtime_replication_slot_.*|plinth_backup)$/;

export async function readSlots({ query }: CopySession): Promise<SlotRow[]> {
  const rows = await query<SlotRow>(sql`
    select slot_name::text as name, slot_type as type, plugin::text, database::text, coalesce(two_phase, false) as "twoPhase"
    from pg_replication_slots where not temporary order by 1`);
  return rows.filter(({ name }) => !ownSlot.test(name));
}

/** Creates a slot that begins at the current position. For a logical slot, this must run in the slot's database. */
export async function createSlot(
  { query }: CopySession,
  { name, type, plugin, twoPhase }: SlotRow,
): Promise<void> {
  if (type === 'physical') await query(sql`select pg_create_physical_replication_slot(${name})`);
  else await query(sql`select pg_create_logical_replication_slot(${name}, ${plugin}, false, ${twoPhase})`);
}
