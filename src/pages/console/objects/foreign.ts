/**
 * Reads foreign servers. The values of options that could be passwords or keys are left out in PostgreSQL, so they never
 * reach this process.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { harmlessOptions } from '../schema/core/foreign-options.ts';
import type { ForeignServerRow } from './contract.ts';

const optionsIn = (options: Sql): Sql => sql`
  (select coalesce(json_agg(json_build_object('name', o.option_name,
      'value', case when o.option_name = any (${harmlessOptions}::text[]) then o.option_value end)), '[]')
   from pg_catalog.pg_options_to_table(${options}) o)`;

export const listForeignServers = (db: Queryable): Promise<ForeignServerRow[]> =>
  db.query<ForeignServerRow>(sql`
    select s.srvname as name, w.fdwname as wrapper, pg_catalog.pg_get_userbyid(s.srvowner) as owner,
      ${optionsIn(sql`s.srvoptions`)} as options,
      (select coalesce(json_agg(json_build_object(
          'role', case when m.umuser = 0 then 'public' else pg_catalog.pg_get_userbyid(m.umuser) end,
          'options', case when m.umoptions is not null then ${optionsIn(sql`m.umoptions`)} end)
          order by m.umuser <> 0, pg_catalog.pg_get_userbyid(m.umuser)), '[]')
        from pg_catalog.pg_user_mappings m where m.srvid = s.oid) as mappings,
      (select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname,
          'options', ${optionsIn(sql`f.ftoptions`)}) order by n.nspname, c.relname), '[]')
        from pg_catalog.pg_foreign_table f join pg_catalog.pg_class c on c.oid = f.ftrelid
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace where f.ftserver = s.oid) as tables,
      pg_catalog.pg_has_role(s.srvowner, 'usage') as editable
    from pg_catalog.pg_foreign_server s join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
    order by s.srvname`);

export async function listWrappers(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select w.fdwname as name from pg_catalog.pg_foreign_data_wrapper w
    where pg_catalog.has_foreign_data_wrapper_privilege(w.oid, 'usage') order by w.fdwname`);
  return rows.map(({ name }) => name);
}
