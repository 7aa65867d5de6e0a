/**
 * GRANT and REVOKE on functions and tables of extensions. Dumps list them one by one, although nothing of the project may use the
 * extension; where the embedded server only has a placeholder, there is nothing to grant.
 */
import { quoteLiteral } from '../../kernel/sql.ts';
import { type MissingExtensions, nameOf, tokensOf } from './extension-statement.ts';
import { missingExtensionOf } from './missing-extension.ts';

/**
 * The statement as it is sent: it does nothing where the object doesn't exist. Any other statement is returned unchanged.
 *
 * @example
 * grantedWhereThere('grant all on function pgaudit_sql_drop() to anon', ['grant'], { pgaudit: {} });
 * // "do $grant$ begin execute 'grant all …'; exception when undefined_function or undefined_table then null; end $grant$"
 */
export function grantedWhereThere(
  statement: string,
  words: readonly string[],
  missing: MissingExtensions,
): string {
  if (words[0] !== 'grant' && words[0] !== 'revoke') return statement;
  const object = grantedObject(tokensOf(statement));
  const extension = object === undefined ? undefined : missingExtensionOf({ message: object });
  if (extension === undefined || !Object.hasOwn(missing, extension)) return statement;
  const caught = 'exception when undefined_function or undefined_table then null;';
  return `do $grant$ begin execute ${quoteLiteral(statement)}; ${caught} end $grant$`;
}

/** The message of PostgreSQL that says that the function or table doesn't exist. */
function grantedObject(tokens: readonly string[]): string | undefined {
  const at = tokens.findIndex((token) => token.toLowerCase() === 'on');
  const kind = tokens[at + 1]?.toLowerCase();
  if (at === -1 || (kind !== 'function' && kind !== 'table')) return undefined;
  const [first, dot, second] = tokens.slice(at + 2);
  const names = (dot === '.' ? [first, second] : [first]).map(nameOf);
  if (names.includes(undefined)) return undefined;
  return kind === 'function'
    ? `function ${names.join('.')}() does not exist`
    : `relation "${names.join('.')}" does not exist`;
}
