/**
 * Adapts CREATE, ALTER and DROP EXTENSION statements in dumps of hosted projects to the embedded server. A hosted
 * database has schemas for extensions that no migration creates (`create extension pgsodium with schema pgsodium`).
 * Placeholders don't have the same versions as the original extensions, and some extensions have always existed in
 * hosted projects. Data dumps from projects with pgsodium also set its key counter, which a placeholder doesn't have.
 *
 * Handles GRANT and REVOKE for functions and tables of extensions. Dumps contain one statement for each of an
 * extension's objects, even if the project doesn't use the object. In the embedded server, a placeholder's objects
 * don't exist, and the `vector` types have different internal functions.
 */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import { lex } from '../../../base/shared/sql/lex.ts';
import { missingExtensionOf } from './missing-extension.ts';

/**
 * The schemas that extensions need, indexed by the extension's name. The schemas that placeholders need are in
 * `missing`.
 */
const ownSchemas: Readonly<Record<string, string>> = { pgmq: 'pgmq' };

/**
 * Extensions that hosted projects had from the beginning. Migrations can therefore drop them without having created
 * them.
 */
const hostedFromStart = new Set(['pg_graphql', 'pgsodium']);

export type MissingExtensions = Readonly<Record<string, { readonly schema?: string }>>;

/**
 * Returns the adapted statement. Statements that don't concern extensions or can't be parsed are returned unchanged.
 *
 * @example
 * asEmbedded('create extension "postgis" version \'3.4\'', { postgis: {} });
 * // 'create extension "postgis" schema extensions'
 */
export function asEmbedded(statement: string, words: readonly string[], missing: MissingExtensions): string {
  if (setsKeyCounter(statement, words) && Object.hasOwn(missing, 'pgsodium')) return 'select 1';
  if (words[1] !== 'extension') return statement;
  if (words[0] === 'create') return creation(statement, missing);
  if (words[0] === 'alter') return update(statement, missing);
  if (words[0] === 'drop') return removal(statement, missing);
  return statement;
}

function creation(statement: string, missing: MissingExtensions): string {
  const [, , ...tokens] = tokensOf(statement);
  const guard = ['if', 'not', 'exists'].every((word, index) => tokens[index]?.toLowerCase() === word);
  const [written, ...options] = guard ? tokens.slice(3) : tokens;
  const name = nameOf(written);
  const schemaAt = options.findIndex((token) => token.toLowerCase() === 'schema');
  const schema = schemaAt === -1 ? undefined : nameOf(options[schemaAt + 1]);
  if (name === undefined || (schemaAt !== -1 && schema === undefined)) return statement;
  const isMissing = Object.hasOwn(missing, name);
  if (!isMissing && (schema === undefined || ownSchemas[name] !== schema)) return statement;
  const targetSchema = schema ?? missing[name]?.schema ?? 'extensions';
  return [
    `create schema if not exists ${quoteIdentifier(targetSchema)};`,
    isMissing
      ? `create extension ${guard ? 'if not exists ' : ''}${quoteIdentifier(name)} schema ${quoteIdentifier(targetSchema)}`
      : statement,
  ].join(' ');
}

function update(statement: string, missing: MissingExtensions): string {
  const [, , written, verb] = tokensOf(statement);
  const name = nameOf(written);
  if (verb?.toLowerCase() !== 'update' || name === undefined || !Object.hasOwn(missing, name))
    return statement;
  return `alter extension ${quoteIdentifier(name)} update`;
}

function removal(statement: string, missing: MissingExtensions): string {
  const [, , ...written] = tokensOf(statement);
  const name = nameOf(written[0]);
  const isAbsent = name !== undefined && hostedFromStart.has(name) && Object.hasOwn(missing, name);
  return isAbsent ? `drop extension if exists ${written.join(' ')}` : statement;
}

/**
 * Whether the statement sets the key counter of pgsodium: `SELECT pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1,
 * false)`.
 */
function setsKeyCounter(statement: string, words: readonly string[]): boolean {
  if (words[0] !== 'select' || !statement.includes('key_key_id_seq')) return false;
  const call = tokensOf(statement).slice(1, 6).join('').replaceAll('"', '').toLowerCase();
  return call === "pg_catalog.setval('pgsodium.key_key_id_seq'";
}

export function tokensOf(statement: string): string[] {
  return [...lex(statement)]
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map(({ start, end }) => statement.slice(start, end));
}

/** Returns the identifier as PostgreSQL stores it. Returns undefined if the token isn't an identifier. */
export function nameOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  if (/^"(?:[^"]|"")+"$/.test(written)) return written.slice(1, -1).replaceAll('""', '"');
  return /^[\w$\u0080-\uffff]+$/.test(written) ? written.toLowerCase() : undefined;
}

/**
 * For GRANT or REVOKE on an extension's object, returns a statement that has no effect if this object doesn't exist.
 * Any other statement is returned unchanged.
 *
 * @example
 * grantedWhereThere('grant all on function pgaudit_sql_drop() to anon', ['grant'], { pgaudit: {} });
 * // "do $grant$ begin execute 'grant all …'; exception when undefined_function or … then null; end $grant$"
 */
export function grantedWhereThere(
  statement: string,
  words: readonly string[],
  missing: MissingExtensions,
): string {
  if (words[0] !== 'grant' && words[0] !== 'revoke') return statement;
  const object = grantedObject(tokensOf(statement));
  if (object === undefined || !isOfExtension(object, missing)) return statement;
  const caught = 'exception when undefined_function or undefined_table or undefined_object then null;';
  return `do $grant$ begin execute ${quoteLiteral(statement)}; ${caught} end $grant$`;
}

interface GrantedObject {
  readonly kind: 'function' | 'table';
  /** The parts of the qualified name: the schema, if present, and the object's own name. */
  readonly name: readonly string[];
}

function isOfExtension({ kind, name }: GrantedObject, missing: MissingExtensions): boolean {
  if (kind === 'function' && vectorFunctions.test(name.at(-1) ?? '')) return true;
  const message =
    kind === 'function'
      ? `function ${name.join('.')}() does not exist`
      : `relation "${name.join('.')}" does not exist`;
  const extension = missingExtensionOf({ message });
  return extension !== undefined && Object.hasOwn(missing, extension);
}

/** Matches the functions of pgvector 0.8. */
const vectorFunctions =
  /^((array_to_)?(vector|halfvec|sparsevec)(_\w+)?|(ivfflat|hnsw)\w*|(l1|l2|cosine|hamming|jaccard)_distance|inner_product|l2_norm(alize)?|binary_quantize|subvector|avg|sum)$/;

function grantedObject(tokens: readonly string[]): GrantedObject | undefined {
  const at = tokens.findIndex((token) => token.toLowerCase() === 'on');
  const kind = tokens[at + 1]?.toLowerCase();
  if (at === -1 || (kind !== 'function' && kind !== 'table')) return undefined;
  const [first, dot, second] = tokens.slice(at + 2);
  const name = (dot === '.' ? [first, second] : [first]).map(nameOf).filter((part) => part !== undefined);
  return name.length === 0 ? undefined : { kind, name };
}
