/**
 * Reads the state that all databases of a cluster share: roles and their settings, replication slots, and server
 * settings.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Client } from '../wire/index.ts';

/**
 * Returns a digest of the shared state. The digest changes whenever a role, membership, role setting, slot, tablespace
 * or server setting changes.
 */
export async function readSharedState(admin: Client): Promise<string> {
  const [row] = await admin.query<{ state: string }>(sql`
    select md5(jsonb_build_array(
      (select jsonb_agg(to_jsonb(r) order by r.oid) from pg_catalog.pg_authid r),
      (select jsonb_agg(to_jsonb(m) - 'oid' order by m.roleid, m.member, m.grantor) from pg_catalog.pg_auth_members m),
      (select jsonb_agg(to_jsonb(s) order by s.setrole) from pg_catalog.pg_db_role_setting s where s.setdatabase = 0),
      (select jsonb_agg(s.slot_name order by s.slot_name) from pg_catalog.pg_replication_slots s),
      (select jsonb_agg(t.spcname order by t.spcname) from pg_catalog.pg_tablespace t),
      (select jsonb_agg(to_jsonb(p) order by p.parname) from pg_catalog.pg_parameter_acl p),
      (select jsonb_agg(jsonb_build_array(f.name, f.setting) order by f.seqno) from pg_catalog.pg_file_settings f),
      (select jsonb_agg(jsonb_build_array(d.datname, d.datacl) order by d.datname) from pg_catalog.pg_database d
        where d.datname !~ '^(test|template)_')
    )::text) as state`);
  return row?.state ?? '';
}
