import { sql } from '../../../base/kernel/sql.ts';
import { lines } from '../core/text.ts';
import type { CatalogObject, CatalogSession } from '../types.ts';

interface FunctionRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly kind: 'FUNCTION' | 'PROCEDURE' | 'AGGREGATE';
  /** The CREATE statement of a function or procedure. */
  readonly definition: string | null;
  readonly aggregate: AggregateRow | null;
}

/** The options of CREATE AGGREGATE, as text. */
interface AggregateRow {
  readonly kind: 'n' | 'o' | 'h';
  readonly arguments: string;
  readonly options: Readonly<Record<string, string | null>>;
}

export const readFunctions = ({ query }: CatalogSession): Promise<FunctionRow[]> =>
  query(sql`
    select p.oid, n.nspname as schema, p.proname as name, pg_get_userbyid(p.proowner)::text as owner, p.proacl::text[] as acl,
      format('%I.%I(%s)', n.nspname, p.proname,
        case when p.prokind = 'a' and p.pronargs = 0 then '*' else pg_get_function_identity_arguments(p.oid) end) as identity,
      case p.prokind when 'p' then 'PROCEDURE' when 'a' then 'AGGREGATE' else 'FUNCTION' end as kind,
      case when p.prokind <> 'a' then pg_get_functiondef(p.oid) end as definition,
      case when p.prokind = 'a' then json_build_object(
        'kind', a.aggkind,
        'arguments', case when p.pronargs = 0 then '*' else pg_get_function_arguments(p.oid) end,
        'options', json_build_object(
          'SFUNC', nullif(a.aggtransfn::oid, 0)::regproc::text,
          'STYPE', format_type(a.aggtranstype, null),
          'SSPACE', nullif(a.aggtransspace, 0)::text,
          'FINALFUNC', nullif(a.aggfinalfn::oid, 0)::regproc::text,
          'FINALFUNC_EXTRA', case when a.aggfinalextra then '' end,
          'FINALFUNC_MODIFY', case a.aggfinalmodify when 's' then 'SHAREABLE' when 'w' then 'READ_WRITE'
            else case when a.aggkind <> 'n' then 'READ_ONLY' end end,
          'COMBINEFUNC', nullif(a.aggcombinefn::oid, 0)::regproc::text,
          'SERIALFUNC', nullif(a.aggserialfn::oid, 0)::regproc::text,
          'DESERIALFUNC', nullif(a.aggdeserialfn::oid, 0)::regproc::text,
          'INITCOND', quote_literal(a.agginitval),
          'MSFUNC', nullif(a.aggmtransfn::oid, 0)::regproc::text,
          'MINVFUNC', nullif(a.aggminvtransfn::oid, 0)::regproc::text,
          'MSTYPE', case when a.aggmtranstype <> 0 then format_type(a.aggmtranstype, null) end,
          'MSSPACE', nullif(a.aggmtransspace, 0)::text,
          'MFINALFUNC', nullif(a.aggmfinalfn::oid, 0)::regproc::text,
          'MFINALFUNC_EXTRA', case when a.aggmfinalextra then '' end,
          'MINITCOND', quote_literal(a.aggminitval),
          'SORTOP', (select format('OPERATOR(%I.%s)', opn.nspname, o.oprname)
            from pg_operator o join pg_namespace opn on opn.oid = o.oprnamespace where o.oid = a.aggsortop),
          'PARALLEL', case p.proparallel when 's' then 'SAFE' when 'r' then 'RESTRICTED' end,
          'HYPOTHETICAL', case when a.aggkind = 'h' then '' end
        )) end as aggregate
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    left join pg_aggregate a on a.aggfnoid = p.oid
    where p.oid >= 16384
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype in ('e', 'i'))`);

export function functionObject(row: FunctionRow): CatalogObject {
  const { oid, kind, schema, identity, owner, acl } = row;
  const text = row.aggregate === null ? (row.definition ?? '').trimEnd() : aggregate(row, row.aggregate);
  return {
    key: `pg_proc:${oid}`,
    kind,
    schema,
    name: identity,
    identity,
    section: 'pre',
    owner,
    acl: { target: kind === 'PROCEDURE' ? 'PROCEDURE' : 'FUNCTION', items: acl },
    create: () => [text],
  };
}

function aggregate({ identity }: FunctionRow, { arguments: args, options }: AggregateRow): string {
  const name = identity.slice(0, identity.indexOf('('));
  const rendered = Object.entries(options).flatMap(([option, value]) =>
    value === null ? [] : [value === '' ? option : `${option} = ${value}`],
  );
  return `CREATE AGGREGATE ${name}(${args}) ${lines(rendered)}`;
}
