-- Collects the catalog of a role (first parameter) and the schemas of a search path (second parameter).
-- core/read-catalog.ts describes and reads the result. Columns are arrays, because there are many of them. The statement runs with the search path pg_catalog, so that types
-- of other schemas have qualified names and a project's objects can't hide those of the system.
with usable_schemas as (
  select n.oid, n.nspname
  from pg_namespace n
  where has_schema_privilege($1::name, n.oid, 'USAGE')
),
-- The system's own schemas can be on a search path, but no request means them.
visible as (
  select n.oid, n.nspname, path.place
  from unnest($2::name[]) with ordinality as path(name, place)
  join usable_schemas n on n.nspname = path.name
  where n.nspname not in ('pg_catalog', 'information_schema')
),
-- Only comments with a directive.
comments as (
  select d.classoid, d.objoid, d.objsubid, d.description
  from pg_description d
  where d.classoid in (
      'pg_namespace'::regclass, 'pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass,
      'pg_constraint'::regclass
    )
    and d.description like '%@graphql(%'
),
relations as (
  select
    c.oid, c.relname, c.relnamespace, c.relkind, c.reltype, c.relrowsecurity, v.place,
    has_table_privilege($1::name, c.oid, 'SELECT') as selects,
    has_table_privilege($1::name, c.oid, 'INSERT') as inserts,
    has_table_privilege($1::name, c.oid, 'UPDATE') as updates,
    has_table_privilege($1::name, c.oid, 'DELETE') as deletes
  from pg_class c
  join visible v on v.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f')
),
-- Columns of sequences' owners: serial and identity columns.
sequence_columns as (
  select distinct d.refobjid, d.refobjsubid
  from pg_depend d
  join relations r on r.oid = d.refobjid
  join pg_class s on s.oid = d.objid and s.relkind = 'S'
  where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
),
-- Privileges of a column differ from the table's only if the column has its own list.
columns as (
  select
    a.attrelid,
    json_agg(
      json_build_array(
        a.attname,
        a.attnum,
        a.atttypid::bigint,
        format_type(a.atttypid, a.atttypmod),
        nullif(a.atttypmod, -1) - 4,
        concat(
          case when a.attnotnull then 'n' end,
          case when a.atthasdef then 'd' end,
          case when s.refobjid is not null then 's' end,
          case when a.attgenerated <> '' then 'g' end
        ),
        concat(
          case
            when r.selects or (a.attacl is not null and has_column_privilege($1::name, r.oid, a.attnum, 'SELECT'))
            then 's'
          end,
          case
            when r.inserts or (a.attacl is not null and has_column_privilege($1::name, r.oid, a.attnum, 'INSERT'))
            then 'i'
          end,
          case
            when r.updates or (a.attacl is not null and has_column_privilege($1::name, r.oid, a.attnum, 'UPDATE'))
            then 'u'
          end
        ),
        d.description
      )
      order by a.attnum
    ) as list
  from relations r
  join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  left join sequence_columns s on s.refobjid = a.attrelid and s.refobjsubid = a.attnum
  left join comments d on d.classoid = 'pg_class'::regclass and d.objoid = a.attrelid and d.objsubid = a.attnum
  group by a.attrelid
),
indexes as (
  select
    i.indrelid,
    json_agg(
      json_build_object(
        'columns', (
          select json_agg(a.attname order by k.place)
          from unnest(i.indkey::smallint[]) with ordinality as k(number, place)
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
          where k.place <= i.indnkeyatts
        ),
        'unique', i.indpred is null,
        'primary', i.indisprimary
      )
      order by i.indexrelid
    ) as list
  from pg_index i
  join relations r on r.oid = i.indrelid
  where i.indisunique and i.indisvalid and i.indexprs is null
  group by i.indrelid
),
functions as (
  select
    p.oid, p.proname, p.pronamespace, v.nspname, p.prorettype, p.provolatile, p.proargtypes,
    p.proretset and p.prorows <> 1 as set_of,
    has_function_privilege($1::name, p.oid, 'EXECUTE') as executable,
    p.pronargs, p.pronargdefaults, p.proargnames, p.proargmodes
  from pg_proc p
  join visible v on v.oid = p.pronamespace
  where p.prokind = 'f'
),
-- One row per input argument. Defaults are counted from the last input argument, names over all arguments.
arguments as (
  select
    f.oid,
    json_agg(
      json_build_object(
        'name', nullif(f.proargnames[i.all_place], ''),
        'type', i.type::bigint,
        'typeName', format_type(i.type, -1),
        'default', case
          when i.place > f.pronargs - f.pronargdefaults then pg_get_function_arg_default(f.oid, i.all_place::integer)
        end
      )
      order by i.place
    ) as list
  from functions f
  cross join lateral (
    select t.type, t.place, coalesce(m.all_place, t.place) as all_place
    from unnest(f.proargtypes::oid[]) with ordinality as t(type, place)
    left join (
      select a.place as all_place, row_number() over (order by a.place) as place
      from unnest(f.proargmodes) with ordinality as a(mode, place)
      where a.mode in ('i', 'b', 'v')
    ) m on m.place = t.place
  ) i
  group by f.oid
),
used_types as (
  select a.atttypid as oid
  from relations r
  join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  union
  select f.prorettype from functions f
  union
  select unnest(f.proargtypes::oid[]) from functions f
),
types as (
  select t.oid, t.typnamespace, t.typname, t.typcategory, t.typelem, c.oid as table_oid, c.relkind
  from pg_type t
  join usable_schemas n on n.oid = t.typnamespace
  left join pg_class c on c.oid = t.typrelid
  where t.oid in (
    select u.oid from used_types u
    union
    select e.typelem from used_types u join pg_type e on e.oid = u.oid where e.typcategory = 'A'
  )
),
enums as (
  select
    t.oid, t.typname, t.typnamespace,
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as labels
  from pg_type t
  join visible v on v.oid = t.typnamespace
  where t.typtype = 'e'
)
select json_build_object(
  'role', $1::name,
  'schemas', (
    select json_agg(
      json_build_object('oid', v.oid::bigint, 'name', v.nspname, 'comment', d.description) order by v.place
    )
    from visible v
    left join comments d on d.classoid = 'pg_namespace'::regclass and d.objoid = v.oid
  ),
  'tables', (
    select json_agg(
      json_build_object(
        'oid', r.oid::bigint,
        'schema', r.relnamespace::bigint,
        'name', r.relname,
        'kind', r.relkind,
        'rowType', r.reltype::bigint,
        'rls', r.relrowsecurity,
        'privileges', concat(
          case when r.selects then 's' end, case when r.inserts then 'i' end,
          case when r.updates then 'u' end, case when r.deletes then 'd' end
        ),
        'columns', c.list,
        'indexes', i.list,
        'comment', d.description
      )
      order by r.place, r.oid
    )
    from relations r
    left join columns c on c.attrelid = r.oid
    left join indexes i on i.indrelid = r.oid
    left join comments d on d.classoid = 'pg_class'::regclass and d.objoid = r.oid and d.objsubid = 0
  ),
  'foreignKeys', (
    select json_agg(
      json_build_object(
        'local', k.conrelid::bigint,
        'localColumns', (
          select json_agg(a.attname order by c.place)
          from unnest(k.conkey) with ordinality as c(number, place)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.number
        ),
        'referenced', k.confrelid::bigint,
        'referencedColumns', (
          select json_agg(a.attname order by c.place)
          from unnest(k.confkey) with ordinality as c(number, place)
          join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.number
        ),
        'comment', d.description
      )
      order by k.oid
    )
    from pg_constraint k
    join relations l on l.oid = k.conrelid
    join relations r on r.oid = k.confrelid
    left join comments d on d.classoid = 'pg_constraint'::regclass and d.objoid = k.oid
    where k.contype = 'f'
  ),
  'types', (
    select json_agg(
      json_build_object(
        'oid', t.oid::bigint,
        'schema', t.typnamespace::bigint,
        'name', t.typname,
        'category', case
          when t.typcategory = 'A' then 'Array'
          when t.typcategory = 'E' then 'Enum'
          when t.typcategory = 'C' and t.relkind = 'c' then 'Composite'
          when t.typcategory = 'C' and t.table_oid is not null then 'Table'
          else 'Other'
        end,
        'element', nullif(t.typelem, 0)::bigint,
        'table', t.table_oid::bigint,
        'usable', has_type_privilege($1::name, t.oid, 'USAGE')
      )
      order by t.oid
    )
    from types t
  ),
  'enums', (
    select json_agg(
      json_build_object(
        'oid', e.oid::bigint,
        'schema', e.typnamespace::bigint,
        'name', e.typname,
        'labels', e.labels,
        'usable', has_type_privilege($1::name, e.oid, 'USAGE'),
        'comment', d.description
      )
      order by e.oid
    )
    from enums e
    left join comments d on d.classoid = 'pg_type'::regclass and d.objoid = e.oid
  ),
  'functions', (
    select json_agg(
      json_build_object(
        'oid', f.oid::bigint,
        'schema', f.pronamespace::bigint,
        'name', f.proname,
        'arguments', a.list,
        'returns', f.prorettype::bigint,
        'returnsName', format_type(f.prorettype, -1),
        'setOf', f.set_of,
        'volatility', f.provolatile,
        'executable', f.executable,
        'comment', d.description
      )
      order by f.oid
    )
    from functions f
    left join arguments a on a.oid = f.oid
    left join comments d on d.classoid = 'pg_proc'::regclass and d.objoid = f.oid
  )
)
