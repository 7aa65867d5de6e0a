/**
 * Compares the moved database with its source, including every row, every sequence, every large object and the
 * catalogs. The facts about the catalogs have a text form that is the same in every major version. Their queries don't
 * use the catalog model that dumps use, so the comparison also detects errors in that model. Expressions aren't
 * included, because versions format them differently.
 */
import { type Sql, sql } from '../../base/kernel/sql.ts';
import { type ConnectionOptions, type CopySession, openCopySession } from '../../platform/database/index.ts';
import { type CopiedTable, readTable, type TableData } from '../dump/index.ts';
import { UpgradeError } from './errors.ts';

interface VerifyOptions {
  readonly database: string;
  readonly source: ConnectionOptions;
  readonly target: ConnectionOptions;
  readonly tables: readonly TableData[];
  /** The number and hash of the rows that the source sent, by table. */
  readonly copied: ReadonlyMap<string, CopiedTable>;
  /** Whether rows, sequence values and large objects are compared. */
  readonly withData: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Compares the databases. @throws {UpgradeError} differs */
export async function verifyDatabase(options: VerifyOptions): Promise<void> {
  const { database, tables, onProgress, signal } = options;
  const [source, target] = await Promise.all([
    openCopySession(options.source),
    openCopySession(options.target),
  ]);
  const onAbort = (): void => {
    source.destroy();
    target.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (const session of [source, target]) await session.exec(settings);
    const differences = await catalogDifferences(source, target, options.withData);
    if (options.withData) {
      for (const [index, { table, columns }] of tables.entries()) {
        signal.throwIfAborted();
        if (index % 100 === 0) onProgress(`Comparing ${tables.length} tables of the database ${database}`);
        const names = columns.length === 0 ? '' : ` (${columns.join(', ')})`;
        const found = await readTable(target, `copy ${table}${names} to stdout`);
        const expected = options.copied.get(table);
        if (found.rows !== expected?.rows || found.hash !== expected.hash)
          differences.push(`rows of ${table}`);
      }
      differences.push(...(await compare(source, target, 'sequence values', sequenceValues)));
      differences.push(...(await compare(source, target, 'large objects', largeObjects)));
    }
    if (differences.length > 0)
      throw new UpgradeError('differs', { differences: `${database}: ${summary(differences)}` });
  } finally {
    signal.removeEventListener('abort', onAbort);
    onAbort();
  }
}

/** Session settings that make the text form of values independent of the database's settings. */
const settings = `set search_path = ''; set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 3; set bytea_output = 'hex'; set xmloption = 'content'; set row_security = off;
  set client_encoding = 'UTF8'`;

const maxListed = 10;
const summary = (differences: readonly string[]): string =>
  differences.slice(0, maxListed).join('; ') +
  (differences.length > maxListed ? `; and ${differences.length - maxListed} more` : '');

/** The sequence of pg_graphql counts schema changes, so creating the objects in the new cluster changes it. */
const sequenceValues = sql`
  select schemaname, sequencename, last_value::text, start_value::text, increment_by::text from pg_sequences
  where (schemaname, sequencename) <> ('graphql', 'seq_schema_version') order by 1, 2`;

/**
 * Reads the hashes of large objects. Trailing zeros of a page are ignored, because PostgreSQL reads missing bytes as
 * zeros.
 */
const largeObjects = sql`
  select loid::text, count(*)::text as pages, sum(hashtextextended(pageno || ' ' || encode(rtrim(data, '\\x00'::bytea), 'base64'), 0)::numeric)::text as hash
  from pg_largeobject where rtrim(data, '\\x00'::bytea) <> '' group by loid order by 1`;

async function compare(
  source: CopySession,
  target: CopySession,
  subject: string,
  query: Sql,
): Promise<string[]> {
  const [before, after] = await Promise.all([source.query(query), target.query(query)]);
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [subject];
}

async function catalogDifferences(
  source: CopySession,
  target: CopySession,
  withData: boolean,
): Promise<string[]> {
  const differences: string[] = [];
  for (const [subject, query] of Object.entries(catalogQueries)) {
    if (!withData && dataSubjects.has(subject)) continue;
    const [before, after] = await Promise.all([
      source.query<{ fact: string }>(query),
      target.query<{ fact: string }>(query),
    ]);
    const [expected, found] = [before, after].map((rows) => new Set(rows.map(({ fact }) => fact)));
    for (const fact of expected ?? []) if (!found?.has(fact)) differences.push(`missing ${subject} ${fact}`);
    for (const fact of found ?? [])
      if (!expected?.has(fact)) differences.push(`unexpected ${subject} ${fact}`);
  }
  return differences;
}

/** Excludes objects that extensions create, because they can differ between versions of an extension. */
const own = (catalog: string, oid: string): string =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;
const schemas = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;
const name = (oid: string): string => `pg_get_userbyid(${oid})`;

/**
 * Returns an expression that formats an access control list. MAINTAIN is excluded because it exists only since
 * PostgreSQL 17.
 */
const acl = (items: string, type: string, owner: string): string => `(
  select coalesce(string_agg(item, ',' order by item), '') from (
    select format('%s:%s:%s', case grantee when 0 then 'public' else ${name('grantee')}::text end, privilege_type, is_grantable) as item
    from aclexplode(coalesce(${items}, acldefault('${type}', ${owner}))) where privilege_type <> 'MAINTAIN') items)`;

const facts: Readonly<Record<string, string>> = {
  schema: `select format('%I owner %s privileges %s', nspname, ${name('nspowner')}, ${acl('nspacl', 'n', 'nspowner')}) as fact
    from pg_namespace n where ${schemas} and ${own('pg_namespace', 'n.oid')}`,
  relation: `select format('%s %s%s owner %s rls %s/%s replica %s bound %s options %s privileges %s', c.oid::regclass, relkind, relpersistence, ${name('relowner')},
      relrowsecurity, relforcerowsecurity, relreplident, pg_get_expr(relpartbound, c.oid), reloptions, ${acl('relacl', 'r', 'relowner')}) as fact
    from pg_class c join pg_namespace n on n.oid = relnamespace where ${schemas} and relkind in ('r', 'p', 'v', 'm', 'f') and ${own('pg_class', 'c.oid')}`,
  sequence: `select format('%s owner %s privileges %s', c.oid::regclass, ${name('relowner')}, ${acl('relacl', 's', 'relowner')}) as fact
    from pg_class c join pg_namespace n on n.oid = relnamespace where ${schemas} and relkind = 'S' and ${own('pg_class', 'c.oid')}`,
  column: `select format('%s.%I %s type %s null %s identity %s generated %s default %s storage %s compression %s collation %s statistics %s options %s privileges %s', c.oid::regclass, attname,
      row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod), not attnotnull, attidentity, attgenerated, atthasdef, attstorage, attcompression,
      attcollation::regcollation, case when attstattarget >= 0 then attstattarget end,
      array(select o from unnest(attoptions) o where o !~ '^pg_attver='),
      (select string_agg(i::text, ',' order by i::text) from unnest(attacl) i)) as fact
    from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
    where ${schemas} and relkind in ('r', 'p', 'v', 'm', 'f', 'c') and attnum > 0 and not attisdropped and ${own('pg_class', 'c.oid')}`,
  constraint: `select format('%I on %s%s type %s validated %s deferrable %s/%s', conname, case when conrelid <> 0 then conrelid::regclass end,
      case when contypid <> 0 then contypid::regtype end, contype, convalidated, condeferrable, condeferred) as fact
    from pg_constraint k join pg_namespace n on n.oid = connamespace
    where ${schemas} and contype <> 'n' and conparentid = 0 and ${own('pg_class', 'conrelid')} and ${own('pg_type', 'contypid')}`,
  index: `select format('%s on %s method %s unique %s valid %s clustered %s replica %s columns %s', i.indexrelid::regclass, i.indrelid::regclass, amname, indisunique, indisvalid,
      indisclustered, indisreplident, indnatts) as fact
    from pg_index i join pg_class c on c.oid = indexrelid join pg_namespace n on n.oid = relnamespace join pg_am am on am.oid = relam
    where ${schemas} and ${own('pg_class', 'i.indrelid')} and (indisvalid or c.relkind = 'I')`,
  inheritance: `select format('%s of %s', inhrelid::regclass, inhparent::regclass) as fact from pg_inherits`,
  type: `select format('%s type %s owner %s labels %s privileges %s', t.oid::regtype, typtype, ${name('typowner')},
      array(select enumlabel from pg_enum where enumtypid = t.oid order by enumsortorder), ${acl('typacl', 'T', 'typowner')}) as fact
    from pg_type t join pg_namespace n on n.oid = typnamespace
    where ${schemas} and typtype in ('c', 'd', 'e', 'r') and ${own('pg_type', 't.oid')} and (typrelid = 0 or ${own('pg_class', 'typrelid')})`,
  function: `select format('%s kind %s owner %s definer %s volatility %s strict %s settings %s source %s privileges %s', p.oid::regprocedure, prokind, ${name('proowner')},
      prosecdef, provolatile, proisstrict, proconfig, md5(prosrc), ${acl('proacl', 'f', 'proowner')}) as fact
    from pg_proc p join pg_namespace n on n.oid = pronamespace where ${schemas} and ${own('pg_proc', 'p.oid')}
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'i')`,
  operator: `select format('%s owner %s', o.oid::regoperator, ${name('oprowner')}) as fact
    from pg_operator o join pg_namespace n on n.oid = oprnamespace where ${schemas} and ${own('pg_operator', 'o.oid')}`,
  'operator class': `select format('%I.%I for %s default %s', nspname, opcname, opcintype::regtype, opcdefault) as fact
    from pg_opclass o join pg_namespace n on n.oid = opcnamespace where ${schemas} and ${own('pg_opclass', 'o.oid')}`,
  cast: `select format('%s to %s context %s', castsource::regtype, casttarget::regtype, castcontext) as fact
    from pg_cast c where oid >= 16384 and ${own('pg_cast', 'c.oid')}`,
  trigger: `select format('%I on %s enabled %s', tgname, tgrelid::regclass, tgenabled) as fact from pg_trigger where not tgisinternal`,
  rule: `select format('%I on %s enabled %s', rulename, ev_class::regclass, ev_enabled) as fact from pg_rewrite r where oid >= 16384 and ${own('pg_class', 'ev_class')}`,
  policy: `select format('%I on %s command %s permissive %s roles %s using %s check %s', polname, polrelid::regclass, polcmd, polpermissive,
      array(select case when r = 0 then 'public' else ${name('r')}::text end from unnest(polroles) r order by 1), polqual is not null, polwithcheck is not null) as fact from pg_policy`,
  statistics: `select format('%I on %s kinds %s', stxname, stxrelid::regclass, stxkind) as fact from pg_statistic_ext`,
  'event trigger': `select format('%I on %s enabled %s tags %s owner %s', evtname, evtevent, evtenabled, evttags, ${name('evtowner')}) as fact
    from pg_event_trigger e where ${own('pg_event_trigger', 'e.oid')}`,
  publication: `select format('%I all %s table %s schema %s', pubname, puballtables, prrelid::regclass, nspname) as fact
    from pg_publication p left join pg_publication_rel r on prpubid = p.oid left join pg_publication_namespace s on pnpubid = p.oid left join pg_namespace n on n.oid = pnnspid`,
  subscription: `select format('%I owner %s enabled %s slot %s publications %s tables %s', subname, ${name('subowner')}, subenabled, subslotname, subpublications,
      (select count(*) from pg_subscription_rel where srsubid = s.oid)) as fact
    from pg_subscription s join pg_database d on d.oid = subdbid where datname = current_database()`,
  extension: `select format('%I in %I owner %s', extname, nspname, ${name('extowner')}) as fact from pg_extension join pg_namespace n on n.oid = extnamespace`,
  'foreign server': `select format('%I type %s version %s options %s wrapper %I', srvname, srvtype, srvversion, srvoptions, fdwname) as fact
    from pg_foreign_server join pg_foreign_data_wrapper w on w.oid = srvfdw`,
  'user mapping': `select format('%I for %s options %s', srvname, usename, umoptions) as fact from pg_user_mappings`,
  language: `select format('%I trusted %s owner %s', lanname, lanpltrusted, ${name('lanowner')}) as fact from pg_language`,
  'access method': `select format('%I type %s', amname, amtype) as fact from pg_am a where oid >= 16384 and ${own('pg_am', 'a.oid')}`,
  'default privilege': `select format('of %s in %s on %s: %s', ${name('defaclrole')}, nspname, defaclobjtype, (
      select string_agg(item, ',' order by item) from (
        select format('%s:%s:%s', case grantee when 0 then 'public' else ${name('grantee')}::text end, privilege_type, is_grantable) as item
        from aclexplode(defaclacl) where privilege_type <> 'MAINTAIN') items)) as fact
    from pg_default_acl left join pg_namespace n on n.oid = defaclnamespace`,
  'large object': `select format('%s owner %s privileges %s comment %s', m.oid, ${name('lomowner')}, ${acl('lomacl', 'L', 'lomowner')}, obj_description(m.oid, 'pg_largeobject')) as fact from pg_largeobject_metadata m`,
  comment: `select format('%s: %s', pg_describe_object(classoid, objoid, objsubid), description) as fact
    from pg_description where objoid >= 16384 and classoid not in ('pg_extension'::regclass, 'pg_largeobject'::regclass) and not exists (
      select from pg_depend d where d.classid = classoid and d.objid = objoid and d.deptype = 'e')`,
};

/** The kinds of objects that a rehearsal doesn't create. */
const dataSubjects: ReadonlySet<string> = new Set(['large object']);

export const catalogQueries: Readonly<Record<string, Sql>> = Object.fromEntries(
  Object.entries(facts).map(([subject, text]) => [subject, sql.raw(text)]),
);
