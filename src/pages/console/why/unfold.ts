/**
 * Evaluates the functions and subselects in a condition: shows the body of a function with the values of the arguments,
 * and the rows that a subselect reads. The body of a SECURITY DEFINER function is evaluated as the owner of the
 * function.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { EvaluatedCall, EvaluatedRows, UnfoldNote } from './contract.ts';
import { parseExpression } from './core/expression.ts';
import { type CallText, callsIn, parseBody, relationsIn, subselectsIn } from './core/select.ts';
import { type Argument, columnOf, withColumns, withValues } from './core/with-values.ts';
import { type FunctionFacts, findFunction, mayShow } from './functions.ts';
import { condition, messageOf, type Scope, textOf } from './scope.ts';
import { isTrusted } from './session.ts';
import { evaluateRows } from './subselects.ts';
import { maxUnfoldDepth, pathText, undone } from './unfolding.ts';

export interface Unfolded {
  readonly rows: readonly EvaluatedRows[];
  readonly calls: readonly EvaluatedCall[];
}

/**
 * The schemas that contain the server's functions. For the server's functions, the page shows only the value, not the
 * body.
 */
const serverSchemas = new Set([
  'auth',
  'storage',
  'realtime',
  'extensions',
  'graphql',
  'vault',
  'net',
  'cron',
]);

export async function unfoldTest(scope: Scope, text: string): Promise<Unfolded> {
  const subselects = subselectsIn(text);
  const calls = callsIn(text);
  if (subselects.length === 0 && calls.length === 0) return { rows: [], calls: [] };
  try {
    return await undone(scope.tx, async (tx) => {
      const inner = { ...scope, tx };
      return { rows: await rowsOf(inner, subselects), calls: await callsOf(inner, calls) };
    });
  } catch (error) {
    messageOf(error);
    return { rows: [], calls: [] };
  }
}

async function rowsOf(scope: Scope, subselects: readonly string[]): Promise<EvaluatedRows[]> {
  const all: EvaluatedRows[] = [];
  for (const text of subselects) {
    const rows = scope.unfolding.take() ? await evaluateRows(scope, text) : undefined;
    if (rows !== undefined) all.push(rows);
  }
  return all;
}

async function callsOf(scope: Scope, texts: readonly CallText[]): Promise<EvaluatedCall[]> {
  const calls = new Map<string, EvaluatedCall>();
  for (const text of texts) {
    if (calls.has(text.text)) continue;
    const call = await callOf(scope, text);
    if (call !== undefined) calls.set(text.text, call);
  }
  return [...calls.values()];
}

/**
 * Evaluates a call. Returns undefined for PostgreSQL's built-in functions, or if an argument depends on the row of a
 * subselect.
 */
async function callOf(scope: Scope, call: CallText): Promise<EvaluatedCall | undefined> {
  const { tx, unfolding } = scope;
  const typesOf = async (): Promise<string[] | undefined> =>
    (await textsOf(scope, call.arguments.map(typeNameOf)))?.map((type) => type ?? '');
  const facts = await findFunction(tx, call, unfolding.searchPath, typesOf);
  if (facts === undefined || call.arguments.some((text) => /^variadic\b|=>|:=/i.test(text))) return undefined;
  const given = facts.arguments.map(
    ({ type, isPseudo, default: value }, index) =>
      `(${call.arguments[index] ?? value ?? 'null'}\n)${isPseudo ? '' : `::${type}`}`,
  );
  const values = await textsOf(scope, given);
  if (values === undefined) return undefined;
  const value = await textOf(scope, facts.returnsSet ? setText(call.text) : call.text);
  if (value === undefined) return undefined;
  const args = facts.arguments.map(({ name }, index) => ({ name, value: values[index] ?? null }));
  const isHidden = !facts.returnsBoolean && !(await mayShow(scope, call.text));
  // The operator must also be allowed to see the values of the arguments, because the body is shown with these values.
  const showsValues = unfolding.showsValues && (await mayShow(scope, call.arguments.join(', ')));
  const shown = {
    name: facts.signature,
    text: scope.show(call.text),
    value: isHidden ? null : value,
    isHidden,
    language: facts.language,
    securityDefiner: facts.securityDefiner,
    role: facts.securityDefiner ? facts.owner : unfolding.role,
    arguments: showsValues
      ? args.map((arg, index) => ({ ...arg, text: scope.show(call.arguments[index] ?? 'default') }))
      : [],
  };
  const nothing = { body: null, note: null, tree: null, rows: [], calls: [] };
  if (serverSchemas.has(facts.schema)) return { ...shown, ...nothing };
  return { ...shown, ...(await bodyOf({ ...scope, unfolding: { ...unfolding, showsValues } }, facts, args)) };
}

const setText = (call: string): string => `(select json_agg(value) from ${call} value)`;
const typeNameOf = (text: string): string =>
  `(select quote_ident(n.nspname) || '.' || quote_ident(t.typname) from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.oid = pg_typeof(${text}\n))`;

type Body = Pick<EvaluatedCall, 'body' | 'note' | 'tree' | 'rows' | 'calls'>;

async function bodyOf(scope: Scope, facts: FunctionFacts, args: readonly Argument[]): Promise<Body> {
  const { unfolding } = scope;
  const source = facts.source.trim();
  const only = (note: UnfoldNote): Body => ({ body: source, note, tree: null, rows: [], calls: [] });
  if (facts.language === 'c' || facts.language === 'internal') return { ...only('language'), body: null };
  if (facts.language !== 'sql') return only('language');
  if (unfolding.depth >= maxUnfoldDepth || !unfolding.take()) return only('limit');
  if (facts.arguments.some(({ isPseudo }) => isPseudo)) return only('form');
  const searchPath = facts.searchPath ?? unfolding.searchPath;
  const work = (inner: Scope): Promise<Body> => evaluateBody(inner, facts, args, source);
  const from = argumentsOf(facts, args);
  // Code that belongs to a role with fewer privileges doesn't run as the role that owns everything, even if it is
  // called by a function of the more powerful role.
  if (unfolding.role === 'postgres' && !isTrusted(facts.owner)) return only('role');
  if (facts.securityDefiner && facts.owner !== unfolding.role) {
    const body = await unfolding.asRole(facts.owner, searchPath, (tx, next) =>
      work({ ...scope, tx, from, unfolding: { ...next, depth: unfolding.depth + 1 } }),
    );
    return body ?? only('role');
  }
  const inner = { ...unfolding, author: facts.owner, searchPath, depth: unfolding.depth + 1 };
  return undone(scope.tx, async (tx) => {
    await tx.query(sql`select pg_catalog.set_config('search_path', ${pathText(searchPath)}, true)`);
    return work({ ...scope, tx, from, unfolding: inner });
  });
}

/**
 * Returns a FROM item that provides the arguments. Columns of inner tables take precedence over arguments, as in the
 * body of a function.
 */
function argumentsOf(facts: FunctionFacts, args: readonly Argument[]): Scope['from'] {
  if (args.length === 0) return sql`(select) as ${sql.id(facts.name)}`;
  const columns = args.map(
    ({ name, value }, index) =>
      sql`${value}::${sql.raw(facts.arguments[index]?.type ?? 'text')} as ${sql.id(columnOf(name, index))}`,
  );
  return sql`(select ${sql.join(columns)}) as ${sql.id(facts.name)}`;
}

async function evaluateBody(
  outer: Scope,
  facts: FunctionFacts,
  args: readonly Argument[],
  source: string,
): Promise<Body> {
  const normal = withColumns(source, facts.name, args);
  const columns = await columnsIn(outer, normal, args);
  const show = (text: string): string => withValues(text, facts.name, args, columns);
  const scope: Scope = { ...outer, show };
  // The text must not contain values that the operator may not see.
  const body = { body: outer.unfolding.showsValues ? show(normal) : source, note: null };
  const parsed = parseBody(normal);
  if (parsed.kind === 'other') return { ...body, note: 'form', tree: null, rows: [], calls: [] };
  const hidden: Scope = outer.unfolding.showsValues ? scope : { ...scope, show: (text) => text };
  if (parsed.kind === 'expression' && facts.returnsBoolean && !facts.returnsSet) {
    const tree = await hidden.evaluate(hidden, parseExpression(parsed.text));
    return { ...body, tree, rows: [], calls: [] };
  }
  const subselects = parsed.kind === 'select' ? [parsed.text] : subselectsIn(parsed.text);
  return {
    ...body,
    tree: null,
    rows: await rowsOf(hidden, subselects),
    calls: await callsOf(hidden, callsIn(parsed.text)),
  };
}

/** Returns the names of parameters that are also the name of a column in a table that the body uses. */
async function columnsIn({ tx }: Scope, body: string, args: readonly Argument[]): Promise<Set<string>> {
  const names = args.flatMap(({ name }) => (name === null ? [] : [name]));
  const relations = relationsIn(body);
  if (names.length === 0 || relations.length === 0) return new Set();
  const rows = await tx.query<{ name: string }>(sql`
    select distinct a.attname as name from unnest(${relations}::text[]) r
    join pg_attribute a on a.attrelid = to_regclass(r) and a.attnum > 0 and a.attname = any (${names}::text[])`);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Returns the values of several expressions as text. Returns undefined if any of the expressions can't be evaluated.
 */
async function textsOf(
  { tx, from }: Scope,
  texts: readonly string[],
): Promise<(string | null)[] | undefined> {
  if (texts.length === 0) return [];
  const list = sql.join(texts.map((text) => sql`${condition(text)}::text`));
  try {
    const { rows } = await tx.savepoint((inner) => inner.queryText(sql`select ${list} from ${from}`));
    return rows[0] === undefined ? undefined : [...rows[0]];
  } catch (error) {
    messageOf(error);
    return undefined;
  }
}
