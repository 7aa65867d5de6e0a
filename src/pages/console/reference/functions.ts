/** Lists the functions in exposed schemas that REST requests can call. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { ExposedFunction } from './contract.ts';

/** Excludes functions from extensions, trigger functions, and functions with unnamed arguments. */
export const listFunctions = (db: Queryable, schemas: readonly string[]): Promise<ExposedFunction[]> =>
  db.query<ExposedFunction>(sql`
    select n.nspname as schema, p.proname as name, pg_get_function_result(p.oid) as returns, p.provolatile = 'v' as volatile,
      obj_description(p.oid, 'pg_proc') as comment,
      (select coalesce(json_agg(json_build_object('name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], null),
          'required', i <= p.pronargs - p.pronargdefaults) order by i), '[]')
        from generate_series(1, p.pronargs) i) as arguments
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any (${schemas}::text[]) and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      and (p.pronargs = 0 or (cardinality(p.proargnames) >= p.pronargs and '' <> all (p.proargnames[1:p.pronargs])))
    order by n.nspname, p.proname, p.pronargs`);
