/**
 * Adapts statements about extensions to a PostgreSQL server that Plinth doesn't install. Hosted projects create
 * extensions that such a server may not have, that Plinth has already replaced with plain SQL, or that only a superuser
 * can create. An extension that the server has is preferred.
 */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import { nameOf, tokensOf } from './extension-statement.ts';
import type { Privileged } from './privileged.ts';

/** The extensions of a server and a database. */
export interface ServerExtensions {
  /** Whether Plinth can run statements as a superuser. */
  readonly isSuperuser: boolean;
  readonly available: ReadonlyMap<string, AvailableExtension>;
  /** Extensions whose objects exist as plain SQL, such as those that Plinth creates at its first start. */
  readonly provided: ReadonlySet<string>;
  /** The scripts that replace extensions, by name. */
  readonly scripts: ReadonlyMap<string, string>;
  /** Extensions without which a project works the same. */
  readonly optional: ReadonlySet<string>;
  /** Extensions that a project can create although PostgreSQL requires a superuser, as on the hosted service. */
  readonly allowed: ReadonlySet<string>;
}

export interface AvailableExtension {
  readonly isInstalled: boolean;
  readonly needsSuperuser: boolean;
}

export interface AdaptedStatement {
  readonly text: string;
  readonly privileged?: Privileged;
}

/** Returns the adapted statement. Statements that don't concern extensions are returned unchanged. */
export function asExternal(
  statement: string,
  words: readonly string[],
  server: ServerExtensions,
): AdaptedStatement {
  const unchanged = { text: statement };
  const [first, second, third] = words;
  if (second === 'extension' && first === 'create') return creation(statement, server);
  const isOther =
    (second === 'extension' && (first === 'alter' || first === 'drop')) ||
    (first === 'comment' && second === 'on' && third === 'extension');
  if (!isOther) return unchanged;
  const tokens = tokensOf(statement).slice(first === 'comment' ? 3 : 2);
  const name = nameOf(first === 'drop' && isWord(tokens[0], 'if') ? tokens[2] : tokens[0]);
  if (name === undefined) return unchanged;
  if (isReplaced(name, server)) return notice(name, server);
  const privileged = first === 'drop' ? removal(name, tokens, server) : undefined;
  return privileged === undefined ? unchanged : { text: statement, privileged };
}

/** Whether a superuser runs the statement, because the extension belongs to the superuser who created it. */
const needsPrivilege = (name: string, { available, allowed, isSuperuser }: ServerExtensions): boolean =>
  isSuperuser && allowed.has(name) && available.get(name)?.needsSuperuser === true;

/** With CASCADE, a superuser could drop objects that the project isn't allowed to drop. */
function removal(name: string, tokens: readonly string[], server: ServerExtensions): Privileged | undefined {
  const guard = isWord(tokens[0], 'if');
  const rest = tokens.slice(guard ? 3 : 1);
  if (
    !needsPrivilege(name, server) ||
    !(rest.length === 0 || (rest.length === 1 && isWord(rest[0], 'restrict')))
  )
    return undefined;
  const text = `drop extension ${guard ? 'if exists ' : ''}${quoteIdentifier(name)} restrict`;
  return { object: 'extension', name: quoteIdentifier(name), text };
}

/** Whether the extension doesn't exist, although CREATE EXTENSION succeeds. */
function isReplaced(name: string, { available, provided, scripts, optional }: ServerExtensions): boolean {
  const found = available.get(name);
  if (found?.isInstalled === true) return false;
  return provided.has(name) || (found === undefined && (scripts.has(name) || optional.has(name)));
}

function creation(statement: string, server: ServerExtensions): AdaptedStatement {
  const parsed = parseCreation(statement);
  if (parsed === undefined) return { text: statement };
  const { name, schema } = parsed;
  const script = server.scripts.get(name);
  if (isReplaced(name, server))
    return script === undefined || server.provided.has(name)
      ? notice(name, server)
      : { text: scriptStatement(name, script, schema) };
  if (!needsPrivilege(name, server)) return { text: statement };
  const privileged = { object: 'extension', name: quoteIdentifier(name), text: print(parsed) } as const;
  return { text: statement, privileged };
}

function notice(name: string, { provided, scripts }: ServerExtensions): AdaptedStatement {
  const outcome =
    provided.has(name) || scripts.has(name)
      ? `extension "${name}" is provided by Plinth`
      : `extension "${name}" is skipped: the server doesn't have it`;
  return { text: `do $plinth$ begin raise notice using message = ${quoteLiteral(outcome)}; end $plinth$` };
}

/** The objects that exist if an extension's script has already run. */
const markers: Readonly<Record<string, string>> = {
  pgjwt: `exists (select from pg_catalog.pg_proc where proname = 'algorithm_sign' and pronargs = 3)`,
  pgmq: `pg_catalog.to_regclass('pgmq.meta') is not null`,
};

/** The schemas that extensions always use. */
const ownSchemas: Readonly<Record<string, string>> = { pgmq: 'pgmq' };

/**
 * Returns a statement that runs an extension's script as plain SQL, unless the script has already run. The objects
 * belong to the current role. The statement leaves the search path of the transaction unchanged.
 */
function scriptStatement(name: string, script: string, schema: string | undefined): string {
  const own = ownSchemas[name];
  const chosen = own ?? schema;
  const target = chosen === undefined ? 'pg_catalog.current_schema()' : quoteLiteral(chosen);
  const text = script.replaceAll('owner to postgres', 'owner to current_user');
  return `do $plinth$
declare
  previous_path constant text := pg_catalog.current_setting('search_path');
  target constant text := pg_catalog.quote_ident(${target});
  pgcrypto constant text := (
    select pg_catalog.quote_ident(n.nspname) from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'pgcrypto');
begin
  if ${markers[name]} then
    return;
  end if;
  ${own === undefined ? '' : `create schema if not exists ${quoteIdentifier(own)};`}
  perform pg_catalog.set_config('search_path', target, true);
  execute pg_catalog.replace(pg_catalog.replace(${quoteLiteral(text)}, '@extschema@', target), '@extschema:pgcrypto@', pgcrypto);
  perform pg_catalog.set_config('search_path', previous_path, true);
end
$plinth$`;
}

interface Creation {
  readonly guard: boolean;
  readonly name: string;
  readonly schema: string | undefined;
  readonly version: string | undefined;
  readonly cascade: boolean;
}

const isWord = (token: string | undefined, word: string): boolean => token?.toLowerCase() === word;

/** Parses CREATE EXTENSION. Returns undefined if the statement contains anything else. */
function parseCreation(statement: string): Creation | undefined {
  const [, , ...tokens] = tokensOf(statement);
  const guard = ['if', 'not', 'exists'].every((word, index) => isWord(tokens[index], word));
  const [written, ...options] = guard ? tokens.slice(3) : tokens;
  const name = nameOf(written);
  if (name === undefined) return undefined;
  let creation: Creation = { guard, name, schema: undefined, version: undefined, cascade: false };
  if (isWord(options[0], 'with')) options.shift();
  while (options.length > 0) {
    const option = options.shift()?.toLowerCase();
    if (option === 'cascade') {
      creation = { ...creation, cascade: true };
      continue;
    }
    const value = options.shift();
    const text = /^'([^'\\]*)'$/.exec(value ?? '')?.[1] ?? nameOf(value);
    if (text === undefined || (option !== 'schema' && option !== 'version')) return undefined;
    creation = { ...creation, [option]: text };
  }
  return creation;
}

function print({ guard, name, schema, version, cascade }: Creation): string {
  return [
    `create extension ${guard ? 'if not exists ' : ''}${quoteIdentifier(name)}`,
    ...(schema === undefined ? [] : [`schema ${quoteIdentifier(schema)}`]),
    ...(version === undefined ? [] : [`version ${quoteLiteral(version)}`]),
    ...(cascade ? ['cascade'] : []),
  ].join(' ');
}
