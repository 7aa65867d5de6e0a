/**
 * Checks the statements of read-only operators. A read-only operator can run only a single query, and all tables and
 * functions in the query must be known to be safe. In a transaction that is rolled back, PostgreSQL parses the query as
 * a view and prints the view's definition. Plinth creates a second view from the printed definition, checks the objects
 * in the view's parse tree, and then runs the printed query with the same search path. All steps use a read-only role,
 * because parsing alone can run the project's code, for example the CHECK constraint of a domain if the query contains
 * a literal of that domain. See docs/decisions/0021-read-only-sql.md.
 */
import { randomBytes } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type {
  BoundParameter,
  Database,
  PostgresErrorShape,
  Queryable,
  Setting,
} from '../../../platform/database/types.ts';
import { permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { databaseRoleOf, defaultSearchPath, searchPathSetting } from '../persona/act.ts';
import type { ParameterValue } from './contract.ts';
import type { Numbered } from './core/parameters.ts';
import { type Statement, verbOf } from './core/statements.ts';
import { parameterTypes, typeOids } from './parameter-types.ts';

const queryVerbs = ['select', 'with', 'values', 'table'];

// The query is used as a subquery in FROM, because the columns of a view must have types and unique names, but the
// columns of a query don't have to.
const prefixOf = (view: string): string => `create temporary view ${view} as select 1 as one from (`;
const suffix = ') plinth_rows';

/** A query as PostgreSQL prints it. The names in the query are valid with the default search path. */
interface CheckedQuery {
  readonly text: string;
  readonly parameters: readonly BoundParameter[];
}

/**
 * Checks a query and returns it as PostgreSQL prints it. A view can't contain parameters, so each parameter is first
 * replaced with a random string constant that is cast to the parameter's type. In the printed text, these constants
 * become parameters of type `text` again.
 * @throws {ConsoleError} read_only with the part of the query that isn't allowed
 */
export async function readOnlyQuery(
  database: Database,
  statement: Statement,
  numbered: Numbered,
  values: readonly ParameterValue[],
): Promise<CheckedQuery> {
  if (!queryVerbs.includes(verbOf(statement)))
    throw refused('It can run only queries: SELECT, WITH, VALUES and TABLE.');
  const marker = randomBytes(16).toString('hex');
  const constant = (number: number): string => `'${marker}_${number}_'::text`;
  return database.pool(databaseRoleOf('read-only')).transaction(
    async (tx) => {
      const types = await parameterTypes(tx, numbered, values);
      const query = numbered.print((number) => `((${constant(number)})::${types[number - 1]})`);
      const prefix = prefixOf('plinth_query');
      try {
        await tx.query(sql`${sql.raw(prefix + query + suffix)}`);
      } catch (error) {
        throw movedBack(error, prefix.length);
      }
      const [view] = await tx.query<{ text: string }>(sql`
        select pg_catalog.pg_get_viewdef('pg_temp.plinth_query'::pg_catalog.regclass) as text`);
      if (view === undefined) throw new Error('the temporary view no longer exists');
      let text = innerOf(view.text);
      // The printed text is checked again, because a name in it could refer to a different function than in the
      // operator's query.
      await tx.query(sql`${sql.raw(prefixOf('plinth_printed') + text + suffix)}`);
      // The statements that follow are Plinth's own, so the names in them must refer to PostgreSQL's own objects.
      await tx.query(sql`select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)`);
      await checkStatements(tx);
      for (const index of values.keys()) text = text.replaceAll(constant(index + 1), `$${index + 1}::text`);
      if (text.includes(marker)) throw refused("The types of this query's parameters can't be checked.");
      return { text, parameters: values.map(({ value }) => ({ typeOid: typeOids.text, value })) };
    },
    { end: 'rollback', readOnly: false, settings: checkSettings },
  );
}

/**
 * Returns the query from the view's definition, without the parentheses around it. If the operator's query contains an
 * extra closing parenthesis, PostgreSQL rejects the returned text when it is run as a query.
 */
function innerOf(view: string): string {
  const start = /^\s*SELECT 1 AS one\s+FROM \(/.exec(view)?.[0].length;
  const end = view.lastIndexOf(suffix);
  if (start === undefined || end < start) throw refused("This query can't be checked.");
  return view.slice(start, end);
}

const checkSettings: readonly Setting[] = [
  searchPathSetting(defaultSearchPath),
  ['statement_timeout', '5000'],
];

function movedBack(error: unknown, chars: number): unknown {
  const { position } = (error ?? {}) as Partial<PostgresErrorShape>;
  if (position !== undefined && position > chars)
    Object.defineProperty(error, 'position', { value: position - chars, enumerable: true });
  return error;
}

/** The catalogs that describe the schema and don't contain secrets. */
const openCatalogs = [
  'pg_attrdef',
  'pg_attribute',
  'pg_class',
  'pg_constraint',
  'pg_enum',
  'pg_extension',
  'pg_index',
  'pg_indexes',
  'pg_inherits',
  'pg_namespace',
  'pg_policies',
  'pg_policy',
  'pg_sequences',
  'pg_stat_user_indexes',
  'pg_stat_user_tables',
  'pg_tables',
  'pg_type',
  'pg_views',
];
const openInformation = [
  'columns',
  'key_column_usage',
  'referential_constraints',
  'schemata',
  'table_constraints',
  'tables',
  'views',
];

/**
 * PostgreSQL's volatile functions that have no side effects, and functions that {@link closedStable} would exclude
 * although they return only numbers of rows.
 */
const openByName = [
  'clock_timestamp',
  'gen_random_uuid',
  'pg_column_size',
  'pg_database_size',
  'pg_indexes_size',
  'pg_relation_size',
  'pg_stat_get_dead_tuples',
  'pg_stat_get_live_tuples',
  'pg_table_size',
  'pg_total_relation_size',
  'random',
  'timeofday',
  'uuidv4',
  'uuidv7',
];

/**
 * Stable functions that can read more than their arguments, such as schemas, settings, statements of other sessions, or
 * webhook keys.
 */
const closedStable = [
  '^(table|schema|database)_to_xml',
  '^(query|cursor)_to_xml',
  '^current_setting$',
  '^pg_show_all_settings$',
  '^pg_stat_get_(activity|backend|wal_senders|progress)',
  '^pg_get_(functiondef|function_sqlbody|function_arguments|function_arg_default|triggerdef|backend|wait)',
  '^pg_(read|ls|stat)_',
  '^pg_(options_to_table|prepared|cursor|lock_status|hba|ident)',
  '^lo_',
].join('|');

/** The functions with which policies read the caller's claims. */
const openAuth = ['email', 'jwt', 'role', 'uid'];

async function checkStatements(tx: Queryable): Promise<void> {
  const [rule] = await tx.query<{ tree: string; view: number }>(sql`
    select ev_action::text as tree, ev_class::oid as view from pg_rewrite
    where ev_class = 'pg_temp.plinth_printed'::regclass`);
  if (rule === undefined) throw new Error("the temporary view doesn't have a rewrite rule");
  const { relations, functions } = referencesOf(rule.tree);
  const tables = await tx.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid = any (${relations}::oid[]) and c.oid <> ${rule.view}::oid`);
  for (const { schema, name } of tables) {
    if (!isOpenTable(schema, name)) throw refused(`It can't read ${schema}.${name}.`);
  }
  const [closed] = await tx.query<{ name: string }>(sql`
    select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.oid = any (${functions}::oid[]) and not case
      when n.nspname = 'pg_catalog' then
        (p.provolatile in ('i', 's') and p.proname !~ ${closedStable}::text) or p.proname = any (${openByName}::text[])
      when n.nspname = 'auth' then p.proname = any (${openAuth}::text[]) and p.pronargs = 0
      when n.nspname = 'vault' then false
      -- Immutable functions of extensions (vectors, geometry, digests); others may run a query that they are given.
      else p.provolatile = 'i' and exists (
        select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      end
    limit 1`);
  if (closed !== undefined) throw refused(`It can't call ${closed.name}, which may have side effects.`);
}

function isOpenTable(schema: string, name: string): boolean {
  if (schema === 'pg_catalog') return openCatalogs.includes(name);
  if (schema === 'information_schema') return openInformation.includes(name);
  if (schema === '_plinth' || schema.startsWith('pg_')) return false;
  return permissionForRows(schema) === 'read';
}

/** Begins the message of every rejected query. */
export const readOnlyPrefix = 'Your role is read-only.';

const refused = (why: string): ConsoleError =>
  new ConsoleError('read_only', { message: `${readOnlyPrefix} ${why}` });

/**
 * Finds the relations and functions that a query uses, based on the text form of its parse tree (pg_rewrite.ev_action).
 */
interface References {
  /** The OIDs of the relations in pg_class. */
  readonly relations: readonly number[];
  /**
   * The OIDs of the functions in pg_proc. Includes aggregates, window functions, sampling methods, and the functions
   * behind operators and casts.
   */
  readonly functions: readonly number[];
}

const field = /:(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/**
 * Finds the fields of the parse tree that contain OIDs. Names and constants can't be mistaken for a field that contains
 * OIDs, because spaces in them are escaped (`readfuncs.c` splits the text at spaces). A false match could only add an
 * object to the result, never hide an object.
 */
function referencesOf(tree: string): References {
  const relations = new Set<number>();
  const functions = new Set<number>();
  for (const [, name, digits] of tree.matchAll(field)) {
    const oid = Number(digits);
    if (oid === 0) continue;
    (name === 'relid' ? relations : functions).add(oid);
  }
  return { relations: [...relations], functions: [...functions] };
}
