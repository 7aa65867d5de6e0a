/** Looks up the functions that an expression calls. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Operand } from './contract.ts';
import { type CallText, callsIn, relationsIn } from './core/select.ts';
import { type Scope, textOf } from './scope.ts';

export interface FunctionFacts {
  schema: string;
  name: string;
  /** The name of the function, with the types of its parameters. */
  signature: string;
  language: string;
  securityDefiner: boolean;
  owner: string;
  returnsSet: boolean;
  returnsBoolean: boolean;
  source: string;
  /** The search path that the function sets for itself. */
  searchPath: string[] | null;
  /** The number of parameters that have no default. */
  required: number;
  arguments: {
    name: string | null;
    /** The qualified name of the type. */
    type: string;
    isPseudo: boolean;
    default: string | null;
  }[];
}

/**
 * Returns the function to which a call refers, or undefined for PostgreSQL's built-in functions. If several functions
 * have this name, `typesOf` is called and returns the argument types, which determine the function.
 */
export async function findFunction(
  tx: Transaction,
  call: CallText,
  searchPath: readonly string[],
  typesOf: () => Promise<readonly string[] | undefined>,
): Promise<FunctionFacts | undefined> {
  const schemas = call.schema === undefined ? searchPath : [call.schema];
  const found = await tx.query<FunctionFacts & { [column: string]: unknown }>(sql`
    select n.nspname as schema, p.proname as name, format('%I.%I(%s)', n.nspname, p.proname, (select string_agg(format_type(t, null), ', ' order by number)
        from unnest(string_to_array(p.proargtypes::text, ' ')::oid[]) with ordinality a(t, number))) as signature, l.lanname as language,
      p.prosecdef as "securityDefiner", pg_get_userbyid(p.proowner) as owner, p.proretset as "returnsSet",
      p.prorettype = 'bool'::regtype as "returnsBoolean",
      coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as source,
      (select to_json(names) from (
        select coalesce(array_agg(trim(both '"' from trim(part))) filter (where trim(part) not in ('', '""')), '{}') as names
        from unnest(p.proconfig) setting, string_to_table(substr(setting, 13), ',') part
        where setting like 'search_path=%' having count(*) > 0) path) as "searchPath",
      p.pronargs - p.pronargdefaults as required,
      (select coalesce(json_agg(json_build_object('name', nullif(p.proargnames[a.number], ''),
          'type', quote_ident(tn.nspname) || '.' || quote_ident(t.typname), 'isPseudo', t.typtype = 'p',
          'default', pg_get_function_arg_default(p.oid, a.number::int)) order by a.number), '[]')
        from unnest(coalesce(p.proallargtypes, string_to_array(p.proargtypes::text, ' ')::oid[])) with ordinality a(type, number)
        join pg_type t on t.oid = a.type join pg_namespace tn on tn.oid = t.typnamespace
        where coalesce(p.proargmodes[a.number], 'i') in ('i', 'b', 'v')) as arguments
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where p.prokind = 'f' and p.proname = ${call.name} and n.nspname = any (${schemas}::text[])
      and n.nspname not in ('pg_catalog', 'information_schema')
    order by array_position(${schemas}::text[], n.nspname::text), p.oid`);
  const count = call.arguments.length;
  const fitting = found.filter(
    (each) => each.schema === found[0]?.schema && count >= each.required && count <= each.arguments.length,
  );
  if (fitting.length < 2) return fitting[0];
  const types = await typesOf();
  return (
    fitting.find((each) => types?.every((type, index) => type === each.arguments[index]?.type)) ?? fitting[0]
  );
}

/** Returns the schemas and return types of all functions to which a call could refer. */
function returnsOf(
  tx: Transaction,
  { schema, name }: CallText,
  searchPath: readonly string[],
): Promise<{ schema: string; type: string }[]> {
  const schemas = schema === undefined ? searchPath : [schema];
  return tx.query<{ schema: string; type: string }>(sql`
    select n.nspname as schema, format_type(p.prorettype, null) as type
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.proname = ${name} and n.nspname = any (${schemas}::text[])`);
}

/** Returns the owners of all functions to which a call could refer. */
export async function ownersOf(
  tx: Transaction,
  { schema, name }: CallText,
  searchPath: readonly string[],
): Promise<string[]> {
  const schemas = schema === undefined ? searchPath : [schema];
  const rows = await tx.query<{ owner: string }>(sql`
    select distinct pg_get_userbyid(p.proowner) as owner from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.proname = ${name} and n.nspname = any (${schemas}::text[]) and n.nspname <> 'pg_catalog'`);
  return rows.map(({ owner }) => owner);
}

type Place = Pick<Scope, 'tx' | 'unfolding'>;

/** Evaluates the operands and returns only operands whose values the operator may see. */
export async function operandsOf(scope: Scope, texts: readonly string[]): Promise<Operand[]> {
  const operands: Operand[] = [];
  if (!scope.unfolding.showsValues) return operands;
  for (const text of texts) {
    const value = (await mayShow(scope, text)) ? await textOf(scope, text) : undefined;
    // An operand explains nothing if its value is already displayed in its place.
    if (value !== undefined && scope.show(text) === text) operands.push({ text, value });
  }
  return operands;
}

/**
 * The schemas that contain functions of PostgreSQL and the server that are called in policies and don't return secrets.
 */
const openSchemas = ['pg_catalog', 'auth', 'storage', 'realtime', 'extensions'];

/**
 * Whether the operator may see the value of the expression. Without the `secrets` permission, the value returned by a
 * function of the project is hidden unless it is a Boolean value, because a SECURITY DEFINER function can return a
 * secret.
 */
export async function mayShow(place: Place, text: string): Promise<boolean> {
  const { tx, unfolding } = place;
  if (unfolding.mayRead('auth')) return true;
  if (!unfolding.showsValues || !(await mayReadAll(place, text))) return false;
  for (const call of callsIn(text)) {
    const found = await returnsOf(tx, call, unfolding.searchPath);
    if (found.some(({ schema, type }) => !openSchemas.includes(schema) && type !== 'boolean')) return false;
  }
  return true;
}

/**
 * Whether the operator may read the rows of all tables that the subselect uses. False if the subselect reads anything
 * else, such as a view or the result of a function, because the tables behind a view or function are unknown.
 */
export async function mayReadAll({ tx, unfolding }: Place, text: string): Promise<boolean> {
  const rows = await tx.query<{ schema: string | null }>(sql`
    select distinct n.nspname as schema from unnest(${relationsIn(text)}::text[]) r
    left join pg_class c on c.oid = to_regclass(r) and c.relkind in ('r', 'p')
    left join pg_namespace n on n.oid = c.relnamespace`);
  return rows.every(({ schema }) => schema !== null && unfolding.mayRead(schema));
}
