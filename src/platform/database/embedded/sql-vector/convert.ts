/**
 * Converts the SQL-only extension `vector` of Plinth 0.2 to pgvector. That extension stored values as text. The objects
 * of the extension are replaced in place, in one transaction, so that all references to them remain: the IDs of types,
 * functions and operators don't change.
 */
import type { Logger } from '../../../../base/kernel/log.ts';
import { quoteIdentifier, quoteLiteral, sql } from '../../../../base/kernel/sql.ts';
import type { PostgresErrorShape, Queryable } from '../../types.ts';
import {
  affectedIndexes,
  collectDependents,
  type MaterializedView,
  materializedViews,
  type Rewritten,
  rewrittenObjects,
  storedTables,
  unsupportedDependents,
} from './dependents.ts';
import { type NativeType, nativeStatements } from './native-statements.ts';

/**
 * Converts the extension. If the conversion fails, nothing is changed. {@link createPendingIndexes} must be called next.
 *
 * @param admin a session of the superuser without an open transaction
 * @param script the script of pgvector that creates the current version
 */
export async function convertSqlVector(admin: Queryable, script: string, version: string): Promise<void> {
  await admin.exec('begin');
  try {
    await convert(admin, script, version);
    await admin.exec('commit');
  } catch (error) {
    await admin.exec('rollback');
    throw error;
  }
}

export interface PendingIndexes {
  /** The indexes that pgvector can't create, with the reasons. */
  readonly unsupported: readonly string[];
  /** The indexes that couldn't be created this time, for example because the disk is full, with the reasons. */
  readonly postponed: readonly string[];
}

/**
 * Creates the indexes that the conversion dropped. They are created after its transaction, because PostgreSQL would also
 * index the rows in the former format, which that transaction deleted. The next start continues an interrupted call, and
 * repeats the creation of postponed indexes. Indexes that pgvector can't create, for example because the column doesn't
 * declare the number of dimensions, are forgotten.
 */
export async function createPendingIndexes(admin: Queryable, log: Logger): Promise<PendingIndexes> {
  const [unsupported, postponed]: [string[], string[]] = [[], []];
  const [pending] = await admin.query<{ exists: boolean }>(
    sql`select pg_catalog.to_regclass('_plinth.vector_indexes') is not null as exists`,
  );
  if (pending?.exists !== true) return { unsupported, postponed };
  const rows = await admin.query<{ name: string; relation: string; text: string; isThere: boolean }>(sql`
    select name, relation, text, pg_catalog.to_regclass(name) is not null as "isThere" from _plinth.vector_indexes`);
  for (const relation of new Set(rows.map((row) => row.relation))) await admin.exec(`vacuum ${relation}`);
  for (const { name, text } of rows.filter(({ isThere }) => !isThere)) {
    try {
      await admin.exec(text);
    } catch (error) {
      log.warn({ service: 'database', error, index: name }, 'An index of vectors could not be created');
      const list = isTemporary(error as PostgresErrorShape) ? postponed : unsupported;
      list.push(`${name} (${(error as Error).message})`);
      if (list === postponed) continue;
    }
    await admin.query(sql`delete from _plinth.vector_indexes where name = ${name}`);
  }
  if (postponed.length === 0) await admin.exec('drop table _plinth.vector_indexes');
  return { unsupported, postponed };
}

/**
 * Whether a statement can succeed later. The classes of these errors are lost connections, insufficient resources,
 * locks, interruptions by an operator and errors of the operating system.
 */
const isTemporary = ({ code = '08' }: PostgresErrorShape): boolean =>
  ['08', '53', '55', '57', '58'].includes(code.slice(0, 2));

async function convert(tx: Queryable, script: string, version: string): Promise<void> {
  await tx.exec(`set local event_triggers = off; set local session_replication_role = replica;
    set local statement_timeout = 0; set local lock_timeout = 0; set local row_security = off;
    set local check_function_bodies = off; set local synchronous_commit = on;
    set local search_path = pg_catalog, pg_temp;${collectDependents}`);
  const unsupported = await unsupportedDependents(tx);
  if (unsupported.length > 0) throw new Error(`these objects depend on it: ${unsupported.join(', ')}`);
  await tx.exec('set local search_path = pg_catalog');
  const objects = await rewrittenObjects(tx);
  const indexes = await affectedIndexes(tx);
  const views = await materializedViews(tx);
  const tables = await storedTables(tx);
  for (const { id } of indexes) await dropIndex(tx, id);
  await tx.exec(hideProjectCode);
  for (const [index, { name, columns }] of tables.entries()) {
    // The project's names could be the same as that of the first column.
    const texts = columns
      .map((each, at) => `${quoteIdentifier(each)}::pg_catalog.text as value_${at}`)
      .join(', ');
    await tx.exec(`create temp table vector_values_${index} on commit drop as
      select ctid as place, ${texts} from only ${name}`);
  }
  await replaceExtension(tx, script, version);
  await correctCatalogs(tx);
  await tx.exec('set local search_path = pg_catalog');
  for (const { name, text } of objects) await rewrite(tx, { name, text });
  for (const [index, { name, columns }] of tables.entries()) await writeValues(tx, index, name, columns);
  await tx.exec(showProjectCode);
  for (const { name } of tables) await tx.exec(`reindex table ${name}`);
  for (const view of views) await renewView(tx, view);
  await tx.exec('create table _plinth.vector_indexes (name text primary key, relation text, text text)');
  for (const { name, relation, text } of indexes)
    await tx.query(sql`insert into _plinth.vector_indexes values (${name}, ${relation}, ${text})`);
}

/**
 * Hides constraints, triggers, rules and indexes of the tables while a superuser reads and writes them, because their
 * expressions are code of the project. The indexes are rebuilt afterward, which PostgreSQL does as the table's owner.
 */
const hideProjectCode = `create temp table vector_flags on commit drop as
  select oid, relchecks, relhastriggers, relhasrules, relhasindex from pg_class
  where oid in (select relation from pg_temp.vector_columns where kind = 'r');
update pg_class set relchecks = 0, relhastriggers = false, relhasrules = false, relhasindex = false
where oid in (select oid from pg_temp.vector_flags)`;
const showProjectCode = `update pg_class c set relchecks = f.relchecks, relhastriggers = f.relhastriggers,
  relhasrules = f.relhasrules, relhasindex = f.relhasindex
from pg_temp.vector_flags f where f.oid = c.oid`;

async function dropIndex(tx: Queryable, id: string): Promise<void> {
  const [found] = await tx.query<{ name: string }>(
    sql`select oid::regclass::text as name from pg_catalog.pg_class where oid = ${id}::oid`,
  );
  if (found !== undefined) await tx.exec(`drop index ${found.name}`);
}

async function rewrite(tx: Queryable, { name, text }: Rewritten): Promise<void> {
  try {
    await tx.exec(text);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Replaces the extension's objects with those of pgvector, and drops the others. */
async function replaceExtension(tx: Queryable, script: string, version: string): Promise<void> {
  const [{ schema } = { schema: '' }] = await tx.query<{ schema: string }>(sql`
    select quote_ident(n.nspname) as schema from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`);
  await tx.exec(`set local search_path = ${schema}, pg_temp`);
  await dropMembers(tx, [
    'pg_catalog.pg_event_trigger',
    'pg_catalog.pg_opclass',
    'pg_catalog.pg_opfamily',
    'pg_catalog.pg_cast',
  ]);
  // A function can be replaced only by one with the same argument names.
  await tx.exec(`update pg_catalog.pg_proc set proargnames = null
    where oid in (select objid from pg_temp.vector_members where classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)`);
  for (const statement of nativeStatements(script)) {
    switch (statement.kind) {
      case 'type':
        await replaceType(tx, statement.type);
        break;
      case 'method':
        await tx.exec(`update pg_catalog.pg_am set amhandler = ${quoteLiteral(`${statement.handler}(internal)`)}::pg_catalog.regprocedure
          where amname = ${quoteLiteral(statement.name)};
          update pg_catalog.pg_depend set refobjid = ${quoteLiteral(`${statement.handler}(internal)`)}::pg_catalog.regprocedure
          where classid = 'pg_catalog.pg_am'::pg_catalog.regclass and refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
            and objid = (select oid from pg_catalog.pg_am where amname = ${quoteLiteral(statement.name)})`);
        break;
      case 'replace':
        await tx.exec(statement.text);
        await addMember(tx, statement.member);
        break;
      case 'create':
        if (statement.operator !== undefined && (await hasOperator(tx, statement.operator))) break;
        await tx.exec(statement.text);
        for (const member of statement.members) await addMember(tx, member);
        break;
      case 'run':
        if (statement.text.startsWith('COMMENT')) await tx.exec(statement.text);
    }
  }
  await tx.exec(`update pg_catalog.pg_operator set oprcanhash = false
    where oid in (select objid from pg_temp.vector_members where classid = 'pg_catalog.pg_operator'::pg_catalog.regclass);
    update pg_catalog.pg_operator set oprrest = 'pg_catalog.eqsel', oprjoin = 'pg_catalog.eqjoinsel' where oprname = '<>'
      and oid in (select objid from pg_temp.vector_members where classid = 'pg_catalog.pg_operator'::pg_catalog.regclass);
    update pg_catalog.pg_extension set extversion = ${quoteLiteral(version)}, extrelocatable = true where extname = 'vector'`);
  await dropFormerFunctions(tx);
}

async function hasOperator(tx: Queryable, operator: string): Promise<boolean> {
  const [found] = await tx.query<{ exists: boolean }>(
    sql`select pg_catalog.to_regoperator(${operator}) is not null as exists`,
  );
  return found?.exists === true;
}

/** Adds an object to the extension, unless it belongs to the extension. */
const addMember = (tx: Queryable, member: string): Promise<unknown> =>
  tx.exec(`do $$ begin alter extension vector add ${member};
    exception when object_not_in_prerequisite_state then null; end $$`);

/** Drops the extension's objects of some kinds, which pgvector's script creates again. */
async function dropMembers(tx: Queryable, catalogs: readonly string[]): Promise<void> {
  for (const catalog of catalogs) {
    const rows = await tx.query<{ kind: string; name: string }>(sql`
      select i.type as kind, i.identity as name from pg_temp.vector_members m
      cross join lateral pg_catalog.pg_identify_object(m.classid, m.objid, 0) i
      where m.classid = ${catalog}::pg_catalog.regclass`);
    for (const { kind, name } of rows) {
      await tx.exec(`alter extension vector drop ${kind} ${name}; drop ${kind} ${name}`);
    }
  }
}

/** Drops the functions and types that only the SQL-only extension had. */
async function dropFormerFunctions(tx: Queryable): Promise<void> {
  const functions = await tx.query<{ name: string }>(sql`
    select p.oid::pg_catalog.regprocedure::text as name from pg_temp.vector_members m
    join pg_catalog.pg_proc p on p.oid = m.objid join pg_catalog.pg_language l on l.oid = p.prolang
    where m.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and p.prokind = 'f' and l.lanname <> 'c'`);
  for (const { name } of functions) await tx.exec(`alter extension vector drop function ${name}`);
  if (functions.length > 0) await tx.exec(`drop function ${functions.map(({ name }) => name).join(', ')}`);
  const types = await tx.query<{ name: string }>(sql`
    select t.oid::pg_catalog.regtype::text as name from pg_temp.vector_members m
    join pg_catalog.pg_type t on t.oid = m.objid
    where m.classid = 'pg_catalog.pg_type'::pg_catalog.regclass and t.typtype = 'c'`);
  for (const { name } of types) await tx.exec(`alter extension vector drop type ${name}; drop type ${name}`);
}

/** Replaces the functions that read and write a type's values. */
async function replaceType(tx: Queryable, { name, functions }: NativeType): Promise<void> {
  const type = `${quoteLiteral(name)}::pg_catalog.regtype`;
  const set = (option: string, column: string, args: string): string =>
    functions[option] === undefined
      ? `${column} = 0`
      : `${column} = ${quoteLiteral(`${functions[option]}(${args})`)}::pg_catalog.regprocedure`;
  await tx.exec(`update pg_catalog.pg_type set
      ${set('input', 'typinput', 'cstring,oid,integer')}, ${set('output', 'typoutput', name)},
      ${set('receive', 'typreceive', 'internal,oid,integer')}, ${set('send', 'typsend', name)},
      ${set('typmod_in', 'typmodin', 'cstring[]')}, typmodout = 0, typstorage = 'e'
    where oid = ${type};
    update pg_catalog.pg_type set typmodin = (select typmodin from pg_catalog.pg_type where oid = ${type}), typmodout = 0
    where typelem = ${type} and typcategory = 'A';
    delete from pg_catalog.pg_depend where classid = 'pg_catalog.pg_type'::pg_catalog.regclass and objid in (${type}, (
        select typarray from pg_catalog.pg_type where oid = ${type}))
      and refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass;
    insert into pg_catalog.pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
    select 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, 0, 'pg_catalog.pg_proc'::pg_catalog.regclass, f.oid, 0, 'n'
    from pg_catalog.pg_type t
    cross join pg_catalog.unnest(array[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin]::pg_catalog.oid[]) as f (oid)
    where t.oid = ${type} and f.oid <> 0`);
}

/**
 * Corrects what the catalogs store about columns: type modifiers, which were higher by four, and values in the former
 * format.
 */
const correctCatalogs = (tx: Queryable): Promise<unknown> =>
  tx.exec(`set local search_path = pg_catalog, pg_temp;
    update pg_attribute a set atttypmod = a.atttypmod - 4 from pg_type t
    where t.oid = a.atttypid and a.atttypmod >= 4 and (t.oid in (select * from pg_temp.vector_base) or t.typelem in (select * from pg_temp.vector_base));
    update pg_type t set typtypmod = t.typtypmod - 4
    where t.typtypmod >= 4 and (t.typbasetype in (select * from pg_temp.vector_base) or exists (
      select from pg_type e where e.oid = t.typbasetype and e.typelem in (select * from pg_temp.vector_base)));
    update pg_attribute set attstorage = 'e' where attstorage = 'x' and atttypid in (select * from pg_temp.vector_base);
    update pg_attribute a set atthasmissing = false, attmissingval = null from pg_temp.vector_columns c
    where a.attrelid = c.relation and a.attnum = c.number and a.atthasmissing;
    delete from pg_statistic s using pg_temp.vector_columns c where s.starelid = c.relation and s.staattnum = c.number`);

async function writeValues(
  tx: Queryable,
  index: number,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const types = await tx.query<{ name: string; type: string }>(sql`
    select attname::text as name, pg_catalog.format_type(atttypid, atttypmod) as type from pg_catalog.pg_attribute
    where attrelid = ${table}::pg_catalog.regclass and attname = any (${[...columns]}::text[])`);
  const sets = types.map(
    ({ name, type }) => `${quoteIdentifier(name)} = v.value_${columns.indexOf(name)}::${type}`,
  );
  await tx.exec(
    `update only ${table} as t set ${sets.join(', ')} from pg_temp.vector_values_${index} v where t.ctid = v.place`,
  );
}

/**
 * Replaces the query of a materialized view with that of an ordinary view with the same text, because PostgreSQL can't
 * replace it without dropping the materialized view.
 */
async function renewView(tx: Queryable, { id, name, query, isPopulated }: MaterializedView): Promise<void> {
  await tx.exec(`create view pg_temp.vector_query as ${query};
    update pg_catalog.pg_rewrite set ev_action = (
      select ev_action from pg_catalog.pg_rewrite where ev_class = 'pg_temp.vector_query'::pg_catalog.regclass)
    where ev_class = ${id} and rulename = '_RETURN';
    drop view pg_temp.vector_query`);
  if (isPopulated) await tx.exec(`refresh materialized view ${name}`);
}
