/**
 * Adapts CREATE, ALTER and DROP EXTENSION statements in dumps of hosted projects to the embedded server. A hosted
 * database has schemas for extensions that no migration creates (`create extension pgsodium with schema pgsodium`).
 * Placeholders don't have the same versions as the original extensions, and some extensions have always existed in
 * hosted projects. Data dumps from projects with pgsodium also set its key counter, which doesn't exist if no migration
 * creates pgsodium. Statements about packages of database.dev call the functions of pg_tle, and the download of its
 * package manager is skipped.
 *
 * Handles GRANT and REVOKE for functions and tables of extensions. Dumps contain one statement for each of an
 * extension's objects, even if the project doesn't use the object. In the embedded server, a placeholder's objects
 * don't exist, and pg_graphql's objects exist only if the project creates the extension.
 */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import { lex } from '../../../base/shared/sql/lex.ts';
import { missingExtensionOf } from './missing-extension.ts';
import { isPackageManagerSetup } from './package-manager.ts';

/**
 * The schemas that extensions need, indexed by the extension's name. The schemas that placeholders need are in
 * `missing`.
 */
const ownSchemas: Readonly<Record<string, string>> = { pg_tle: 'pgtle', pgmq: 'pgmq', pgsodium: 'pgsodium' };

/**
 * Extensions that hosted projects had from the beginning. Migrations can therefore drop them without having created
 * them.
 */
const hostedFromStart = new Set(['pg_graphql', 'pgsodium']);

/**
 * Extensions of which Plinth has one version, but which a migration can create in any version of the original extension.
 */
const anyVersion: ReadonlySet<string> = new Set([
  ...['http', 'pg_cron', 'pg_graphql', 'pg_hashids', 'pg_jsonschema', 'pg_net', 'pg_tle'],
  ...['pgjwt', 'pgmq', 'pgsodium', 'supabase_vault'],
]);

export type MissingExtensions = Readonly<Record<string, { readonly schema?: string }>>;

/**
 * Returns the adapted statement. Statements that don't concern extensions or can't be parsed are returned unchanged.
 *
 * @example
 * asEmbedded('create extension "postgis" version \'3.4\'', { postgis: {} });
 * // 'create extension "postgis" schema extensions'
 */
export function asEmbedded(statement: string, words: readonly string[], missing: MissingExtensions): string {
  if (setsKeyCounter(statement, words)) return ifThere('pgsodium.key_key_id_seq', statement);
  if (words[0] === 'security' && words[1] === 'label') return securityLabel(statement);
  if (words[0] === 'select' && isPackageManagerSetup(statement)) return noStatement;
  if (words[1] !== 'extension') return statement;
  if (words[0] === 'create') return creation(statement, missing);
  if (words[0] === 'alter') return update(statement, missing);
  if (words[0] === 'drop') return removal(statement);
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
  if (isPackage(name)) {
    const version = options[options.findIndex((token) => token.toLowerCase() === 'version') + 1];
    const hasVersion = options.some((token) => token.toLowerCase() === 'version');
    return forPackage(name, statement, 'create_extension', [
      schema === undefined ? 'null' : quoteLiteral(schema),
      hasVersion ? versionOf(version) : 'null',
      String(guard),
    ]);
  }
  const isMissing = Object.hasOwn(missing, name);
  const wanted = anyVersion.has(name) ? withoutVersion(statement) : statement;
  if (!isMissing && (schema === undefined || ownSchemas[name] !== schema)) return wanted;
  const targetSchema = schema ?? missing[name]?.schema ?? 'extensions';
  return [
    `create schema if not exists ${quoteIdentifier(targetSchema)};`,
    isMissing
      ? `create extension ${guard ? 'if not exists ' : ''}${quoteIdentifier(name)} schema ${quoteIdentifier(targetSchema)}`
      : wanted,
  ].join(' ');
}

/** Removes the option VERSION from CREATE EXTENSION. */
function withoutVersion(statement: string): string {
  const tokens = tokensOf(statement);
  const at = tokens.findIndex((token) => token.toLowerCase() === 'version');
  return at < 3 ? statement : tokens.toSpliced(at, 2).join(' ');
}

function update(statement: string, missing: MissingExtensions): string {
  const [, , written, verb, to, version] = tokensOf(statement);
  const name = nameOf(written);
  if (verb?.toLowerCase() !== 'update' || name === undefined) return statement;
  if (isPackage(name))
    return forPackage(name, statement, 'update_extension', [
      to?.toLowerCase() === 'to' ? versionOf(version) : 'null',
    ]);
  if (!Object.hasOwn(missing, name) && !anyVersion.has(name)) return statement;
  return `alter extension ${quoteIdentifier(name)} update`;
}

function removal(statement: string): string {
  const [, , ...written] = tokensOf(statement);
  const guard = written[0]?.toLowerCase() === 'if';
  const name = nameOf(written[guard ? 2 : 0]);
  if (name === undefined) return statement;
  if (isPackage(name)) {
    const isCascade = written.at(-1)?.toLowerCase() === 'cascade';
    return forPackage(name, statement, 'drop_extension', [String(isCascade)]);
  }
  return hostedFromStart.has(name) && !guard ? `drop extension if exists ${written.join(' ')}` : statement;
}

/** The extensions of PostgreSQL and Plinth whose names look like those of database.dev's packages. */
const dashedExtensions: ReadonlySet<string> = new Set([
  'basejump-supabase_test_helpers',
  'supabase-dbdev',
  'uuid-ossp',
]);

/** Whether a name is that of a package, which pg_tle can contain: `handle-name` or `handle@name`. */
const isPackage = (name: string): boolean => /[-@]/.test(name) && !dashedExtensions.has(name);

/** Returns a block that calls a function of pg_tle if it has the package, or else runs the statement. */
function forPackage(name: string, statement: string, call: string, args: readonly string[]): string {
  const perform = `perform pgtle.${call}(${[quoteLiteral(name), ...args].join(', ')});`;
  return `do $package$ begin
  if pg_catalog.to_regprocedure('pgtle.has_extension(text)') is not null then
    if pgtle.has_extension(${quoteLiteral(name)}) then ${perform} return; end if;
  end if;
  execute ${quoteLiteral(statement)};
end $package$`;
}

/** Returns the version in CREATE and ALTER EXTENSION, which is an identifier or a string, as a string. */
function versionOf(written: string | undefined): string {
  if (written === undefined) return 'null';
  return written.startsWith("'") ? written : quoteLiteral(nameOf(written) ?? '');
}

/** A statement without effect. */
const noStatement = 'do $skip$ begin end $skip$';

/** Returns a block that runs the statement if a relation exists. */
const ifThere = (relation: string, statement: string): string =>
  `do $there$ begin if pg_catalog.to_regclass(${quoteLiteral(relation)}) is not null then execute ${quoteLiteral(statement)}; end if; end $there$`;

/** Replaces a security label of pgsodium, which encrypts a column in the original, with a warning. */
function securityLabel(statement: string): string {
  const [, , keyword, provider] = tokensOf(statement);
  if (keyword?.toLowerCase() !== 'for' || nameOf(provider?.replaceAll("'", '')) !== 'pgsodium')
    return statement;
  const message = `Plinth doesn't encrypt columns by security labels, so this label is skipped: ${statement.trim()}`;
  return `do $label$ begin raise warning using message = ${quoteLiteral(message)}; end $label$`;
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
  if (name.length > 1 && ownSchemaNames.has(name[0] ?? '')) return true;
  const message =
    kind === 'function'
      ? `function ${name.join('.')}() does not exist`
      : `relation "${name.join('.')}" does not exist`;
  const extension = missingExtensionOf({ message });
  return extension !== undefined && Object.hasOwn(missing, extension);
}

/** The schemas of Plinth's extensions that lack some functions of the original extension. */
const ownSchemaNames: ReadonlySet<string> = new Set(['graphql', ...Object.values(ownSchemas)]);

function grantedObject(tokens: readonly string[]): GrantedObject | undefined {
  const at = tokens.findIndex((token) => token.toLowerCase() === 'on');
  const kind = tokens[at + 1]?.toLowerCase();
  if (at === -1 || (kind !== 'function' && kind !== 'table')) return undefined;
  const [first, dot, second] = tokens.slice(at + 2);
  const name = (dot === '.' ? [first, second] : [first]).map(nameOf).filter((part) => part !== undefined);
  return name.length === 0 ? undefined : { kind, name };
}
