-- Lists the facts of all catalogs that Plinth's SQL files can change. Each row has the object that the fact belongs to,
-- such as a column's relation, the subject, its definition, and the extension that contains the object. Partitions are
-- left out because their names contain dates.
with members as (
  select d.classid, d.objid, e.extname::text as extension
  from pg_depend d join pg_extension e on e.oid = d.refobjid
  where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
),
schemas as (
  select oid, nspname::text as name, nspowner, nspacl from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_(toast|temp)'
),
relations as (
  select c.*, format('%I.%I', s.name, c.relname) as name, m.extension
  from pg_class c join schemas s on s.oid = c.relnamespace
  left join members m on m.classid = 'pg_class'::regclass and m.objid = c.oid
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S', 'c') and not c.relispartition
),
functions as (
  select p.*, format('%I.%I(%s)', s.name, p.proname, pg_get_function_identity_arguments(p.oid)) as name, m.extension
  from pg_proc p join schemas s on s.oid = p.pronamespace
  left join members m on m.classid = 'pg_proc'::regclass and m.objid = p.oid
),
types as (
  select t.*, format('%I.%I', s.name, t.typname) as name, m.extension
  from pg_type t join schemas s on s.oid = t.typnamespace
  left join pg_class c on c.oid = t.typrelid
  left join members m on m.classid = 'pg_type'::regclass and m.objid = t.oid
  where (t.typrelid = 0 or c.relkind = 'c') and not exists (select from pg_type e where e.typarray = t.oid)
),
privileges (object, subject, extension, acl) as (
  select 'schema ' || s.name, 'schema', m.extension, coalesce(s.nspacl, acldefault('n', s.nspowner))
  from schemas s left join members m on m.classid = 'pg_namespace'::regclass and m.objid = s.oid
  union all
  select 'relation ' || name, 'relation', extension,
    coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
  from relations where relkind <> 'c'
  union all
  select 'relation ' || r.name, format('column %I', a.attname), r.extension, a.attacl
  from relations r join pg_attribute a on a.attrelid = r.oid where a.attacl is not null
  union all
  select 'function ' || name, 'function', extension, coalesce(proacl, acldefault('f', proowner)) from functions
  union all
  select 'type ' || name, 'type', extension, coalesce(typacl, acldefault('T', typowner)) from types
  union all
  select 'database', 'database', null, coalesce(datacl, acldefault('d', datdba)) from pg_database where datname = current_database()
  union all
  select 'parameters', parname, null, paracl from pg_parameter_acl
  union all
  select format('default privileges of %s in %s', d.defaclrole::regrole, coalesce(n.nspname::text, 'all schemas')),
    d.defaclobjtype::text, null, d.defaclacl
  from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
  union all
  select 'system objects', 'function ' || p.oid::regprocedure, null, p.proacl from pg_proc p
  left join pg_init_privs i on i.classoid = 'pg_proc'::regclass and i.objoid = p.oid
  where p.pronamespace = 'pg_catalog'::regnamespace and p.proacl is not null and p.proacl is distinct from i.initprivs
  union all
  select 'system objects', 'relation ' || c.relname, null, c.relacl from pg_class c
  left join pg_init_privs i on i.classoid = 'pg_class'::regclass and i.objoid = c.oid and i.objsubid = 0
  where c.relnamespace = 'pg_catalog'::regnamespace and c.relacl is not null and c.relacl is distinct from i.initprivs
),
others (class, id) as (
  select 'pg_cast'::regclass, oid from pg_cast union all
  select 'pg_operator'::regclass, oid from pg_operator union all
  select 'pg_opclass'::regclass, oid from pg_opclass union all
  select 'pg_opfamily'::regclass, oid from pg_opfamily union all
  select 'pg_am'::regclass, oid from pg_am union all
  select 'pg_language'::regclass, oid from pg_language union all
  select 'pg_collation'::regclass, oid from pg_collation union all
  select 'pg_statistic_ext'::regclass, oid from pg_statistic_ext union all
  select 'pg_ts_config'::regclass, oid from pg_ts_config union all
  select 'pg_ts_dict'::regclass, oid from pg_ts_dict union all
  select 'pg_foreign_data_wrapper'::regclass, oid from pg_foreign_data_wrapper union all
  select 'pg_foreign_server'::regclass, oid from pg_foreign_server union all
  select 'pg_subscription'::regclass, oid from pg_subscription
)
select object, 'privileges of ' || subject as subject, extension,
  (select string_agg(item::text, ' ' order by item::text) from unnest(acl) item) as definition
from privileges
union all
select 'database', 'database', null, format('owner %s, encoding %s', datdba::regrole, pg_encoding_to_char(encoding))
from pg_database where datname = current_database()
union all
select 'role ' || rolname, 'role', null, concat_ws(' ', case when rolsuper then 'superuser' end,
  case when rolinherit then 'inherit' end, case when rolcreaterole then 'createrole' end,
  case when rolcreatedb then 'createdb' end, case when rolcanlogin then 'login' end,
  case when rolreplication then 'replication' end, case when rolbypassrls then 'bypassrls' end, 'limit ' || rolconnlimit)
from pg_roles where rolname !~ '^pg_'
union all
select 'role ' || member::regrole, 'membership in ' || roleid::regrole, null,
  (to_jsonb(m) - 'oid' - 'roleid' - 'member' - 'grantor')::text || ' by ' || grantor::regrole
from pg_auth_members m where member >= 16384 or member = 10
union all
select case setrole when 0 then 'database' else 'role ' || setrole::regrole end,
  'setting in ' || case setdatabase when 0 then 'all databases' else 'this database' end, null,
  array_to_string(setconfig, '; ')
from pg_db_role_setting
where setdatabase = 0 or setdatabase = (select oid from pg_database where datname = current_database())
union all
select 'schema ' || s.name, 'schema', m.extension, 'owner ' || s.nspowner::regrole
from schemas s left join members m on m.classid = 'pg_namespace'::regclass and m.objid = s.oid
union all
select 'relation ' || name, 'relation', extension, concat_ws(', ', 'kind ' || relkind::text, 'owner ' || relowner::regrole,
  'persistence ' || relpersistence::text, case when relrowsecurity then 'row security' end,
  case when relforcerowsecurity then 'forced' end, 'replica identity ' || relreplident::text,
  array_to_string(reloptions, ' '), case when relkind = 'p' then pg_get_partkeydef(oid) end,
  case when relkind in ('v', 'm') then pg_get_viewdef(oid) end)
from relations
union all
select 'relation ' || r.name, 'sequence', r.extension, (to_jsonb(s) - 'seqrelid' - 'seqtypid')::text || ' ' || s.seqtypid::regtype
from pg_sequence s join relations r on r.oid = s.seqrelid
union all
select 'relation ' || r.name, format('column %I', a.attname), r.extension, concat_ws(' ',
  row_number() over (partition by r.oid order by a.attnum), format_type(a.atttypid, a.atttypmod),
  case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
  'generated ' || nullif(a.attgenerated::text, ''), 'identity ' || nullif(a.attidentity::text, ''),
  'storage ' || a.attstorage::text, 'collation ' || nullif(a.attcollation, 0)::regcollation,
  'statistics ' || nullif(a.attstattarget, -1), array_to_string(a.attoptions, ' '))
from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where r.relkind <> 'S'
union all
select 'relation ' || r.name, format('constraint %I', c.conname), r.extension, pg_get_constraintdef(c.oid)
from pg_constraint c join relations r on r.oid = c.conrelid
union all
select 'relation ' || r.name, 'index ' || i.indexrelid::regclass::text, r.extension, concat_ws(' ', pg_get_indexdef(i.indexrelid),
  'owner', c.relowner::regrole, case when i.indisclustered then 'clustered' end,
  case when i.indisreplident then 'replica identity' end, case when not i.indisvalid then 'invalid' end)
from pg_index i join relations r on r.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
union all
select 'relation ' || r.name, format('trigger %I', t.tgname), r.extension, concat_ws(' ', pg_get_triggerdef(t.oid), 'enabled', t.tgenabled)
from pg_trigger t join relations r on r.oid = t.tgrelid where not t.tgisinternal
union all
select 'relation ' || r.name, format('rule %I', w.rulename), r.extension, pg_get_ruledef(w.oid)
from pg_rewrite w join relations r on r.oid = w.ev_class where w.rulename <> '_RETURN'
union all
select 'relation ' || r.name, format('policy %I', p.polname), r.extension, concat_ws(' ', p.polcmd, p.polpermissive,
  p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
from pg_policy p join relations r on r.oid = p.polrelid
union all
select 'function ' || name, 'function', extension, format('owner %s, ', proowner::regrole)
  || case when prokind = 'a' then 'aggregate' else pg_get_functiondef(oid) end
from functions
union all
select 'type ' || t.name, 'type', t.extension, concat_ws(' ', 'kind', t.typtype, 'owner', t.typowner::regrole,
  (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
  format_type(nullif(t.typbasetype, 0), t.typtypmod), t.typdefault)
from types t
union all
select 'event trigger ' || evtname, 'event trigger', m.extension, concat_ws(' ', 'on', evtevent, array_to_string(evttags, ', '),
  'runs', evtfoid::regproc, 'enabled', evtenabled, 'owner', evtowner::regrole)
from pg_event_trigger t left join members m on m.classid = 'pg_event_trigger'::regclass and m.objid = t.oid
union all
select 'publication ' || pubname, 'publication', null, concat_ws(' ', 'owner ' || pubowner::regrole,
  (to_jsonb(p) - 'oid' - 'pubname' - 'pubowner')::text,
  (select string_agg(r.prrelid::regclass::text, ', ' order by 1) from pg_publication_rel r where r.prpubid = p.oid))
from pg_publication p
union all
select 'extension ' || extname, 'extension', null, format('schema %s, owner %s', extnamespace::regnamespace, extowner::regrole)
from pg_extension
union all
select 'extension ' || m.extension, 'member', m.extension, pg_describe_object(m.classid, m.objid, 0) from members m
union all
select 'system objects', 'view ' || viewname, null, definition from pg_views
where schemaname = 'pg_catalog' and viewname in ('pg_available_extensions', 'pg_available_extension_versions')
union all
select 'other objects', o.class::text, m.extension, (pg_identify_object(o.class, o.id, 0)).identity
from others o left join members m on m.classid = o.class and m.objid = o.id where o.id >= 16384
union all
select 'initial privileges', (pg_identify_object(i.classoid, i.objoid, i.objsubid)).identity, m.extension,
  (select string_agg(item::text, ' ' order by item::text) from unnest(i.initprivs) item)
from pg_init_privs i left join members m on m.classid = i.classoid and m.objid = i.objoid where i.objoid >= 16384
union all
select coalesce('relation ' || r.name, 'function ' || f.name, 'comments'),
  'comment on ' || pg_describe_object(d.classoid, d.objoid, d.objsubid), m.extension, d.description
from pg_description d
left join relations r on d.classoid = 'pg_class'::regclass and r.oid = d.objoid
left join functions f on d.classoid = 'pg_proc'::regclass and f.oid = d.objoid
left join members m on m.classid = d.classoid and m.objid = d.objoid
where d.objoid >= 16384
union all
select 'comments', 'comment on ' || pg_describe_object(d.classoid, d.objoid, 0), null, d.description
from pg_shdescription d where d.objoid >= 16384
union all
select coalesce('relation ' || r.name, 'guards'), 'guard of ' || coalesce(a.attname, g.schema || '.' || g.name), null,
  'owner ' || g.owner::regrole
from _plinth.guarded g left join relations r on r.oid = g.relid
left join pg_attribute a on a.attrelid = g.relid and a.attnum = g.attnum and g.attnum > 0
