/** Reads functions and procedures from the catalogs. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { RoutineDetail, RoutineGrant, RoutineParameter, RoutineRow } from './contract.ts';

/** Printed like `regprocedure`, but always with the schema, so that it doesn't depend on the search path. */
export const signatureOf = (routine: Sql, schema: Sql): Sql => sql`
  pg_catalog.format('%I.%I(%s)', ${schema}.nspname, ${routine}.proname, (
    select pg_catalog.string_agg(pg_catalog.format_type(t, null), ', ' order by number)
    from pg_catalog.unnest(pg_catalog.string_to_array(${routine}.proargtypes::text, ' ')::oid[]) with ordinality a(t, number)))`;

const signature = signatureOf(sql.raw('p'), sql.raw('n'));

/** The columns of {@link RoutineRow}. The defaults of parameters are part of the source, which not everybody may see. */
const summary = (maySee: boolean): Sql => sql`
  ${signature} as signature, n.nspname as schema, p.proname as name,
  case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' when 'w' then 'window function' else 'function' end as kind,
  ${sql.raw(maySee ? 'pg_catalog.pg_get_function_arguments' : 'pg_catalog.pg_get_function_identity_arguments')}(p.oid)
    as arguments, pg_catalog.pg_get_function_result(p.oid) as returns,
  l.lanname as language, p.prosecdef as security_definer,
  case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
  (select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
    where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      and d.refclassid = 'pg_catalog.pg_extension'::regclass limit 1) as extension`;

const from = sql.raw(`
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_language l on l.oid = p.prolang
  where n.nspname not in ('_plinth', 'pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`);

export const listRoutines = (db: Queryable, maySee: boolean): Promise<RoutineRow[]> =>
  db.query<RoutineRow>(sql`select ${summary(maySee)} ${from} order by n.nspname, p.proname, signature`);

/** What the catalogs say about a routine. The source isn't included, because not every operator may read it. */
export interface RoutineFacts
  extends Omit<
    RoutineDetail,
    'source' | 'recreation' | 'is_source_hidden' | 'dependents' | 'mentions' | 'can_try'
  > {
  oid: number;
  returns_trigger: boolean;
}

/** Without `maySee`, the values that can be secrets are replaced in PostgreSQL, so they never reach this process. */
export async function findRoutine(
  db: Queryable,
  wanted: string,
  maySee: boolean,
): Promise<RoutineFacts | undefined> {
  const argumentDefault = sql`pg_catalog.pg_get_function_arg_default(p.oid, a.number::int)`;
  const [found] = await db.query<
    RoutineFacts & { parameters: RoutineParameter[]; grants: RoutineGrant[] }
  >(sql`
    select ${summary(maySee)}, p.oid::int8::float8 as oid, pg_catalog.pg_get_userbyid(p.proowner) as owner,
      pg_catalog.pg_has_role('postgres', p.proowner, 'usage') as may_change,
      pg_catalog.obj_description(p.oid, 'pg_proc') as comment,
      -- PostgreSQL's own settings have no dot in their names and contain no secrets.
      (select coalesce(pg_catalog.array_agg(case when ${maySee}::boolean or s.name not like '%.%' then s.setting
          else s.name || '=…' end order by s.place), '{}')
        from (select setting, place, pg_catalog.split_part(setting, '=', 1) as name
          from pg_catalog.unnest(p.proconfig) with ordinality as u (setting, place)) s) as settings,
      case p.proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end as parallel,
      p.prorettype in ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype) as returns_trigger,
      (select coalesce(json_agg(json_build_object('schema', tn.nspname, 'name', t.typname) order by a.number), '[]')
        from pg_catalog.unnest(pg_catalog.string_to_array(p.proargtypes::text, ' ')::oid[]) with ordinality a(type, number)
        join pg_catalog.pg_type t on t.oid = a.type join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace) as types,
      (select coalesce(json_agg(json_build_object('name', nullif(p.proargnames[a.number], ''),
          'type', pg_catalog.format_type(t.oid, null), 'default', case when ${maySee}::boolean then ${argumentDefault} when ${argumentDefault} is not null then '…' end,
          'variadic', coalesce(p.proargmodes[a.number], 'i') = 'v', 'output', coalesce(p.proargmodes[a.number], 'i') = 'o',
          'pseudo', t.typtype = 'p') order by a.number), '[]')
        from pg_catalog.unnest(coalesce(p.proallargtypes,
          pg_catalog.string_to_array(p.proargtypes::text, ' ')::oid[])) with ordinality a(type, number)
        join pg_catalog.pg_type t on t.oid = a.type
        where coalesce(p.proargmodes[a.number], 'i') in ('i', 'b', 'v')
          or p.prokind = 'p' and p.proargmodes[a.number] = 'o') as parameters,
      (select coalesce(json_agg(json_build_object(
          'role', case g.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(g.grantee) end,
          'grantor', pg_catalog.pg_get_userbyid(g.grantor), 'grantable', g.is_grantable)
          order by g.grantee <> 0, pg_catalog.pg_get_userbyid(g.grantee)), '[]')
        from pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) g) as grants
    ${from} and ${signature} = ${wanted}`);
  return found;
}

/** Returns the definition as PostgreSQL prints it. PostgreSQL doesn't print aggregates. */
export async function readSource(db: Queryable, { oid, kind }: RoutineFacts): Promise<string | null> {
  if (kind === 'aggregate') return null;
  const [row] = await db.query<{ source: string }>(
    sql`select pg_catalog.pg_get_functiondef(${oid}::int8::oid) as source`,
  );
  return row?.source.trimEnd() ?? null;
}
