/** Reads operators, operator classes, casts, conversions and collations. */
import { sql } from '../../../base/kernel/sql.ts';
import { lines, list } from '../core/text.ts';
import type { CatalogObject, CatalogSession } from '../types.ts';

/** An object whose options are already formatted as text. */
interface OptionsRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string;
  readonly options: Readonly<Record<string, string | null>>;
}

export const readOperators = ({ query }: CatalogSession): Promise<OptionsRow[]> =>
  query(sql`
    select o.oid, n.nspname as schema, o.oprname as name, pg_get_userbyid(o.oprowner)::text as owner,
      format('%I.%s (%s, %s)', n.nspname, o.oprname,
        case when o.oprleft = 0 then 'NONE' else format_type(o.oprleft, null) end,
        case when o.oprright = 0 then 'NONE' else format_type(o.oprright, null) end) as identity,
      json_build_object(
        'FUNCTION', o.oprcode::oid::regproc::text,
        'LEFTARG', case when o.oprleft <> 0 then format_type(o.oprleft, null) end,
        'RIGHTARG', case when o.oprright <> 0 then format_type(o.oprright, null) end,
        'COMMUTATOR', (select format('OPERATOR(%I.%s)', cn.nspname, c.oprname)
          from pg_operator c join pg_namespace cn on cn.oid = c.oprnamespace where c.oid = o.oprcom),
        'NEGATOR', (select format('OPERATOR(%I.%s)', cn.nspname, c.oprname)
          from pg_operator c join pg_namespace cn on cn.oid = c.oprnamespace where c.oid = o.oprnegate),
        'RESTRICT', nullif(o.oprrest::oid, 0)::regproc::text,
        'JOIN', nullif(o.oprjoin::oid, 0)::regproc::text,
        'HASHES', case when o.oprcanhash then '' end,
        'MERGES', case when o.oprcanmerge then '' end) as options
    from pg_operator o join pg_namespace n on n.oid = o.oprnamespace
    where o.oid >= 16384 and o.oprcode <> 0`);

interface OperatorFamilyRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string;
  readonly method: string;
  /** The family's members that don't belong to an operator class. */
  readonly members: string[];
}

export const readOperatorFamilies = ({ query }: CatalogSession): Promise<OperatorFamilyRow[]> =>
  query(sql`
    select f.oid, n.nspname as schema, f.opfname as name, pg_get_userbyid(f.opfowner)::text as owner,
      format('%I.%I', n.nspname, f.opfname) as identity, quote_ident(am.amname) as method,
      array(select member from (
        select 1, o.amopstrategy as number, format('OPERATOR %s %s', o.amopstrategy, o.amopopr::regoperator)
            || coalesce((select format(' FOR ORDER BY %I.%I', sn.nspname, s.opfname)
              from pg_opfamily s join pg_namespace sn on sn.oid = s.opfnamespace where s.oid = o.amopsortfamily), '') as member
        from pg_amop o where o.amopfamily = f.oid and not exists (
          select from pg_depend d where d.classid = 'pg_amop'::regclass and d.objid = o.oid
            and d.refclassid = 'pg_opclass'::regclass and d.deptype = 'i')
        union all
        select 2, p.amprocnum, format('FUNCTION %s (%s, %s) %s', p.amprocnum, format_type(p.amproclefttype, null),
          format_type(p.amprocrighttype, null), p.amproc::oid::regprocedure)
        from pg_amproc p where p.amprocfamily = f.oid and not exists (
          select from pg_depend d where d.classid = 'pg_amproc'::regclass and d.objid = p.oid
            and d.refclassid = 'pg_opclass'::regclass and d.deptype = 'i')
        order by 1, 2, 3) m) as members
    from pg_opfamily f
    join pg_namespace n on n.oid = f.opfnamespace
    join pg_am am on am.oid = f.opfmethod
    where f.oid >= 16384`);

interface OperatorClassRow extends OperatorFamilyRow {
  readonly family: string;
  readonly isDefault: boolean;
  readonly type: string;
  readonly storage: string | null;
}

export const readOperatorClasses = ({ query }: CatalogSession): Promise<OperatorClassRow[]> =>
  query(sql`
    select c.oid, n.nspname as schema, c.opcname as name, pg_get_userbyid(c.opcowner)::text as owner,
      format('%I.%I', n.nspname, c.opcname) as identity, quote_ident(am.amname) as method,
      format('%I.%I', fn.nspname, f.opfname) as family, c.opcdefault as "isDefault",
      format_type(c.opcintype, null) as type,
      case when c.opckeytype <> 0 then format_type(c.opckeytype, null) end as storage,
      array(select member from (
        select 1, o.amopstrategy as number, format('OPERATOR %s %s', o.amopstrategy, o.amopopr::regoperator)
            || coalesce((select format(' FOR ORDER BY %I.%I', sn.nspname, s.opfname)
              from pg_opfamily s join pg_namespace sn on sn.oid = s.opfnamespace where s.oid = o.amopsortfamily), '') as member
        from pg_amop o join pg_depend d on d.classid = 'pg_amop'::regclass and d.objid = o.oid
          and d.refclassid = 'pg_opclass'::regclass and d.refobjid = c.oid
        union all
        select 2, p.amprocnum, format('FUNCTION %s (%s, %s) %s', p.amprocnum, format_type(p.amproclefttype, null),
          format_type(p.amprocrighttype, null), p.amproc::oid::regprocedure)
        from pg_amproc p join pg_depend d on d.classid = 'pg_amproc'::regclass and d.objid = p.oid
          and d.refclassid = 'pg_opclass'::regclass and d.refobjid = c.oid
        order by 1, 2, 3) m) as members
    from pg_opclass c
    join pg_namespace n on n.oid = c.opcnamespace
    join pg_am am on am.oid = c.opcmethod
    join pg_opfamily f on f.oid = c.opcfamily
    join pg_namespace fn on fn.oid = f.opfnamespace
    where c.oid >= 16384`);

interface CastRow {
  readonly oid: number;
  readonly identity: string;
  readonly with: string;
  readonly context: string;
}

/** Returns the casts, without those that PostgreSQL creates together with range types. */
export const readCasts = ({ query }: CatalogSession): Promise<CastRow[]> =>
  query(sql`
    select oid, format('(%s AS %s)', format_type(castsource, null), format_type(casttarget, null)) as identity,
      case castmethod when 'f' then 'WITH FUNCTION ' || castfunc::regprocedure when 'i' then 'WITH INOUT' else 'WITHOUT FUNCTION' end as with,
      case castcontext when 'a' then ' AS ASSIGNMENT' when 'i' then ' AS IMPLICIT' else '' end as context
    from pg_cast c
    where oid >= 16384
      and not exists (select from pg_depend d where d.classid = 'pg_cast'::regclass and d.objid = c.oid and d.deptype = 'i')`);

interface ConversionRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string;
  readonly definition: string;
}

export const readConversions = ({ query }: CatalogSession): Promise<ConversionRow[]> =>
  query(sql`
    select c.oid, n.nspname as schema, c.conname as name, format('%I.%I', n.nspname, c.conname) as identity,
      pg_get_userbyid(c.conowner)::text as owner,
      format('CREATE %sCONVERSION %I.%I FOR %L TO %L FROM %s', case when c.condefault then 'DEFAULT ' else '' end,
        n.nspname, c.conname, pg_encoding_to_char(c.conforencoding), pg_encoding_to_char(c.contoencoding),
        c.conproc::oid::regproc) as definition
    from pg_conversion c join pg_namespace n on n.oid = c.connamespace
    where c.oid >= 16384`);

export async function readCollations({ query, serverVersion }: CatalogSession): Promise<OptionsRow[]> {
  const locale = sql.raw(serverVersion >= 170_000 ? 'c.colllocale' : 'c.colliculocale');
  const rules = sql.raw(serverVersion >= 160_000 ? 'c.collicurules' : 'null');
  return await query(sql`
    select c.oid, n.nspname as schema, c.collname as name, format('%I.%I', n.nspname, c.collname) as identity,
      pg_get_userbyid(c.collowner)::text as owner,
      json_build_object(
        'provider', case c.collprovider when 'i' then 'icu' when 'b' then 'builtin' when 'c' then 'libc' else 'default' end,
        'deterministic', case when not c.collisdeterministic then 'false' end,
        'locale', quote_literal(coalesce(${locale}, case when c.collcollate = c.collctype then c.collcollate end)),
        'lc_collate', quote_literal(case when c.collcollate <> c.collctype then c.collcollate end),
        'lc_ctype', quote_literal(case when c.collcollate <> c.collctype then c.collctype end),
        'rules', quote_literal(${rules})) as options
    from pg_collation c join pg_namespace n on n.oid = c.collnamespace
    where c.oid >= 16384`);
}

const present = (options: OptionsRow['options']): string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === null ? [] : [value === '' ? name : `${name} = ${value}`],
  );

export const operatorObject = (row: OptionsRow): CatalogObject => ({
  key: `pg_operator:${row.oid}`,
  kind: 'OPERATOR',
  schema: row.schema,
  name: row.identity,
  identity: row.identity,
  section: 'pre',
  owner: row.owner,
  create: () => [
    `CREATE OPERATOR ${row.identity.slice(0, row.identity.indexOf(' ('))} ${lines(present(row.options))}`,
  ],
});

export function operatorFamilyObject(row: OperatorFamilyRow): CatalogObject {
  const identity = `${row.identity} USING ${row.method}`;
  return {
    key: `pg_opfamily:${row.oid}`,
    kind: 'OPERATOR FAMILY',
    schema: row.schema,
    name: identity,
    identity,
    section: 'pre',
    owner: row.owner,
    create: () => [
      `CREATE OPERATOR FAMILY ${identity}`,
      ...(row.members.length === 0
        ? []
        : [`ALTER OPERATOR FAMILY ${identity} ADD\n    ${row.members.join(',\n    ')}`]),
    ],
  };
}

export function operatorClassObject(row: OperatorClassRow): CatalogObject {
  const identity = `${row.identity} USING ${row.method}`;
  const members = [...(row.storage === null ? [] : [`STORAGE ${row.storage}`]), ...row.members];
  return {
    key: `pg_opclass:${row.oid}`,
    kind: 'OPERATOR CLASS',
    schema: row.schema,
    name: identity,
    identity,
    section: 'pre',
    owner: row.owner,
    create: () => [
      `CREATE OPERATOR CLASS ${row.identity}\n    ${row.isDefault ? 'DEFAULT ' : ''}FOR TYPE ${row.type} ` +
        `USING ${row.method} FAMILY ${row.family} AS\n    ${members.join(',\n    ')}`,
    ],
  };
}

export const castObject = (row: CastRow): CatalogObject => ({
  key: `pg_cast:${row.oid}`,
  kind: 'CAST',
  name: row.identity,
  identity: row.identity,
  section: 'pre',
  create: () => [`CREATE CAST ${row.identity} ${row.with}${row.context}`],
});

export const conversionObject = (row: ConversionRow): CatalogObject => ({
  key: `pg_conversion:${row.oid}`,
  kind: 'CONVERSION',
  schema: row.schema,
  name: row.name,
  identity: row.identity,
  section: 'pre',
  owner: row.owner,
  create: () => [row.definition],
});

export const collationObject = (row: OptionsRow): CatalogObject => ({
  key: `pg_collation:${row.oid}`,
  kind: 'COLLATION',
  schema: row.schema,
  name: row.name,
  identity: row.identity,
  section: 'pre',
  owner: row.owner,
  create: () => [`CREATE COLLATION ${row.identity} (${list(present(row.options))})`],
});
