/**
 * Writes a request's settings as SET LOCAL statements, for servers that pass only these statements on to other servers
 * (docs/decisions/0105-citus.md). The values are part of the statements, because SET accepts no parameters.
 */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import type { Setting } from '../types.ts';

/**
 * The statements that let Citus send SET LOCAL, and BEGIN for reads, to the workers. Citus doesn't send the first one
 * itself. The second one protects against a server on which reads run on the workers outside the transaction, without
 * role and claims.
 */
const PASS_ON = [
  `set local citus.propagate_set_commands = 'local'`,
  'set local citus.select_opens_transaction_block = on',
];

/**
 * The settings of PostgreSQL itself that workers get, in addition to all settings whose names have a prefix. A role that
 * signs in on a worker isn't permitted to change some of the others. The role isn't sent, because Citus connects to a
 * worker as the current role, which differs from the request's role in a SECURITY DEFINER function.
 */
const PASSED_ON: ReadonlySet<string> = new Set([
  'lock_timeout',
  'search_path',
  'statement_timeout',
  'timezone',
]);

const MAX_NAME_BYTES = 63;

/** Returns the statements that apply all settings in order, and that pass them on to the workers. */
export function localStatements(settings: readonly Setting[]): readonly string[] {
  return settings.length === 0
    ? []
    : [...PASS_ON, ...settings.map(([name, value]) => localStatement(name, value))];
}

/**
 * Returns the statement for one setting.
 *
 * @example
 * localStatement('request.jwt.claims', `{"sub":"O'Neil"}`) // set local "request"."jwt"."claims" = '{"sub":"O''Neil"}'
 */
export function localStatement(name: string, value: string): string {
  if (name.includes('\0') || value.includes('\0'))
    throw new TypeError('Text for PostgreSQL must not contain a null byte.');
  const parts = name.split('.');
  const isKnown = parts.length > 1 || PASSED_ON.has(name.toLowerCase());
  // As one string, a list of names would be a single name.
  const names = name.toLowerCase() === 'search_path' ? readNames(value) : [value];
  // The grammar shortens long names and rejects empty ones, and a malformed list must cause PostgreSQL's error.
  // Only this server applies such a setting.
  if (
    !isKnown ||
    names === undefined ||
    parts.some((part) => part === '' || Buffer.byteLength(part) > MAX_NAME_BYTES)
  )
    return `select pg_catalog.set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, true)`;
  return `set local ${parts.map(quoteIdentifier).join('.')} = ${names.map(quoteLiteral).join(', ')}`;
}

const NAME = /\s*(?:"((?:[^"]|"")+)"|([^\s",]+))\s*(,|$)/y;

/**
 * Reads a list of names as PostgreSQL does: names without quotes are in lowercase. Returns undefined if the list is
 * malformed.
 */
function readNames(list: string): string[] | undefined {
  if (list.trim() === '') return [''];
  const names: string[] = [];
  NAME.lastIndex = 0;
  for (;;) {
    const match = NAME.exec(list);
    if (match === null) return undefined;
    const [, quoted, plain, end] = match;
    names.push(quoted === undefined ? lowerCased(plain as string) : quoted.replaceAll('""', '"'));
    if (end === '') return names;
  }
}

/** PostgreSQL converts only ASCII letters in a UTF8 database. */
const lowerCased = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
