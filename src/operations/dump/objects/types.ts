import { sql } from '../../../base/kernel/sql.ts';
import { lines, list, literal } from '../core/text.ts';
import type { CatalogObject, CatalogSession, Part } from '../types.ts';

export interface TypeRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly type: 'enum' | 'composite' | 'domain' | 'range' | 'base';
  /** The OIDs of the type's array type and, for a range, of the multirange type and its array type. */
  readonly siblings: number[];
  readonly relation: number;
  readonly labels: string[] | null;
  readonly attributes: { name: string; type: string; collation: string | null }[] | null;
  readonly domain: {
    base: string;
    collation: string | null;
    default: string | null;
    notNull: boolean;
    checks: { oid: number; name: string; definition: string; valid: boolean }[] | null;
  } | null;
  readonly range: {
    subtype: string;
    opclass: string | null;
    collation: string | null;
    canonical: string | null;
    difference: string | null;
    multirange: string;
  } | null;
}

/**
 * Returns the types, without row types of tables, array types and multirange types. Base types are included only so
 * that they can be reported.
 */
export const readTypes = ({ query }: CatalogSession): Promise<TypeRow[]> =>
  query(sql`
    select t.oid, n.nspname as schema, t.typname as name, format('%I.%I', n.nspname, t.typname) as identity,
      pg_get_userbyid(t.typowner)::text as owner, t.typacl::text[] as acl,
      case t.typtype when 'e' then 'enum' when 'c' then 'composite' when 'd' then 'domain' when 'r' then 'range' else 'base' end as type,
      array_remove(array[nullif(t.typarray, 0), r.rngmultitypid, m.typarray], null) as siblings,
      t.typrelid as relation,
      case when t.typtype = 'e' then
        array(select enumlabel::text from pg_enum where enumtypid = t.oid order by enumsortorder) end as labels,
      case when t.typtype = 'c' then (
        select json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
          'collation', case when a.attcollation <> at.typcollation then (
            select format('%I.%I', cn.nspname, co.collname) from pg_collation co join pg_namespace cn on cn.oid = co.collnamespace
            where co.oid = a.attcollation) end) order by a.attnum)
        from pg_attribute a join pg_type at on at.oid = a.atttypid
        where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) end as attributes,
      case when t.typtype = 'd' then json_build_object(
        'base', format_type(t.typbasetype, t.typtypmod),
        'collation', (select format('%I.%I', cn.nspname, co.collname)
          from pg_collation co join pg_namespace cn on cn.oid = co.collnamespace join pg_type b on b.oid = t.typbasetype
          where co.oid = t.typcollation and t.typcollation <> b.typcollation),
        'default', coalesce(pg_get_expr(t.typdefaultbin, 'pg_type'::regclass), quote_literal(t.typdefault)),
        'notNull', t.typnotnull,
        'checks', (select json_agg(json_build_object('oid', k.oid::int8, 'name', quote_ident(k.conname),
            'definition', pg_get_constraintdef(k.oid), 'valid', k.convalidated) order by k.conname)
          from pg_constraint k where k.contypid = t.oid and k.contype = 'c')) end as domain,
      case when t.typtype = 'r' then json_build_object(
        'subtype', format_type(r.rngsubtype, null),
        'opclass', case when not oc.opcdefault then format('%I.%I', ocn.nspname, oc.opcname) end,
        'collation', (select format('%I.%I', cn.nspname, co.collname)
          from pg_collation co join pg_namespace cn on cn.oid = co.collnamespace join pg_type b on b.oid = r.rngsubtype
          where co.oid = r.rngcollation and r.rngcollation <> b.typcollation),
        'canonical', nullif(r.rngcanonical::oid, 0)::regproc::text,
        'difference', nullif(r.rngsubdiff::oid, 0)::regproc::text,
        'multirange', format('%I.%I', mn.nspname, m.typname)) end as range
    from pg_type t
    join pg_namespace n on n.oid = t.typnamespace
    left join pg_range r on r.rngtypid = t.oid
    left join pg_type m on m.oid = r.rngmultitypid
    left join pg_namespace mn on mn.oid = m.typnamespace
    left join pg_opclass oc on oc.oid = r.rngsubopc
    left join pg_namespace ocn on ocn.oid = oc.opcnamespace
    where t.oid >= 16384 and t.typtype <> 'p' and t.typtype <> 'm'
      and (t.typtype <> 'c' or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
      and not exists (select from pg_type e where e.typarray = t.oid)
      and t.typisdefined`);

/** Renders CREATE TYPE or CREATE DOMAIN. */
export function typeObject(row: TypeRow): CatalogObject {
  const { identity } = row;
  const isDomain = row.domain !== null;
  const kind = isDomain ? 'DOMAIN' : 'TYPE';
  return {
    key: `pg_type:${row.oid}`,
    aliases: [
      ...row.siblings.map((oid) => `pg_type:${oid}`),
      ...(row.relation === 0 ? [] : [`pg_class:${row.relation}`]),
    ],
    kind,
    schema: row.schema,
    name: row.name,
    identity,
    section: 'pre',
    owner: row.owner,
    acl: { target: kind, items: row.acl },
    parts: domainChecks(row),
    create: (separate) => [definition(row, separate)],
  };
}

function definition(row: TypeRow, separate: ReadonlySet<string>): string {
  const { identity, attributes, range, labels } = row;
  if (row.domain !== null) return domainDefinition(row, separate);
  if (range !== null) {
    const options = [
      ['subtype', range.subtype],
      ['multirange_type_name', range.multirange],
      ['subtype_opclass', range.opclass],
      ['collation', range.collation],
      ['canonical', range.canonical],
      ['subtype_diff', range.difference],
    ].filter(([, value]) => value !== null);
    return `CREATE TYPE ${identity} AS RANGE (${list(options.map(([name, value]) => `${name} = ${value}`))})`;
  }
  if (row.type === 'enum') return `CREATE TYPE ${identity} AS ENUM ${lines((labels ?? []).map(literal))}`;
  const columns = (attributes ?? []).map(
    ({ name, type, collation }) => `${name} ${type}${collation === null ? '' : ` COLLATE ${collation}`}`,
  );
  return `CREATE TYPE ${identity} AS ${lines(columns)}`;
}

function domainDefinition({ identity, domain }: TypeRow, separate: ReadonlySet<string>): string {
  if (domain === null) return '';
  return [
    `CREATE DOMAIN ${identity} AS ${domain.base}`,
    ...(domain.collation === null ? [] : [`COLLATE ${domain.collation}`]),
    ...(domain.notNull ? ['NOT NULL'] : []),
    ...(domain.default === null ? [] : [`DEFAULT ${domain.default}`]),
    ...(domain.checks ?? [])
      .filter(({ oid }) => !separate.has(`pg_constraint:${oid}`))
      .map(({ name, definition }) => `\n    CONSTRAINT ${name} ${definition}`),
  ].join(' ');
}

const domainChecks = ({ identity, domain }: TypeRow): Part[] =>
  (domain?.checks ?? []).map(({ oid, name, definition, valid }) => ({
    key: `pg_constraint:${oid}`,
    comment: `CONSTRAINT ${name} ON DOMAIN ${identity}`,
    statement: `ALTER DOMAIN ${identity} ADD CONSTRAINT ${name} ${definition}`,
    ...(valid ? {} : { section: 'post' }),
  }));
