/** The route of the page with the triggers of all tables. Changes use the routes of the schema (`schema/routes.ts`). */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { may } from '../core/roles.ts';
import type { Api } from '../routes/api.ts';
import { signatureOf } from '../routines/queries.ts';
import type { DatabaseTrigger } from './contract.ts';

export function triggerRoutes(api: Api, db: Pool): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /database/triggers', 'read', async ({ operator }) => {
    const maySee = may(operator.role, 'secrets');
    return {
      triggers: (await listTriggers(db)).map((trigger) =>
        trigger.has_arguments && !maySee ? { ...trigger, source: null } : trigger,
      ),
    };
  });
}

/** `tgtype` is a set of bits: 1 for each row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate, 64 instead of. */
const listTriggers = (db: Queryable): Promise<DatabaseTrigger[]> =>
  db.query<DatabaseTrigger>(sql`
    select tn.nspname as schema, c.relname as "table", g.tgname as name,
      case when g.tgtype & 64 <> 0 then 'instead of' when g.tgtype & 2 <> 0 then 'before' else 'after' end as timing,
      (select json_agg(e.event order by e.place) from (values (1, 4, 'insert'), (2, 16, 'update'), (3, 8, 'delete'),
        (4, 32, 'truncate')) e (place, bit, event) where g.tgtype & e.bit <> 0) as events,
      case when g.tgtype & 1 <> 0 then 'row' else 'statement' end as for_each,
      g.tgenabled <> 'D' as enabled, pg_catalog.pg_has_role('postgres', c.relowner, 'usage') as may_change, ${signatureOf(sql.raw('p'), sql.raw('pn'))} as function,
      g.tgnargs > 0 as has_arguments,
      -- PostgreSQL can't replace a constraint trigger.
      case when g.tgconstraint = 0
        then pg_catalog.regexp_replace(pg_catalog.pg_get_triggerdef(g.oid), '^CREATE ', 'CREATE OR REPLACE ')
        else pg_catalog.format(E'DROP TRIGGER %I ON %I.%I;\n\n', g.tgname, tn.nspname, c.relname)
          || pg_catalog.pg_get_triggerdef(g.oid) end || ';'
        -- A trigger that is created again fires in sessions of origin, which is the default.
        || case g.tgenabled when 'O' then '' else pg_catalog.format(E'\n\nALTER TABLE %I.%I %s TRIGGER %I;',
             tn.nspname, c.relname, case g.tgenabled when 'D' then 'DISABLE' when 'A' then 'ENABLE ALWAYS'
             else 'ENABLE REPLICA' end, g.tgname) end as source
    from pg_catalog.pg_trigger g join pg_catalog.pg_class c on c.oid = g.tgrelid
    join pg_catalog.pg_namespace tn on tn.oid = c.relnamespace
    join pg_catalog.pg_proc p on p.oid = g.tgfoid join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
    where not g.tgisinternal and g.tgparentid = 0
      and tn.nspname not in ('_plinth', 'pg_catalog', 'information_schema') and tn.nspname not like 'pg\\_%'
    order by tn.nspname, c.relname, g.tgname`);
