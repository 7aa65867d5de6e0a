/**
 * Handles GRANT and REVOKE for functions and tables of extensions. Dumps contain one statement for each of an
 * extension's objects, even if the project doesn't use the object. In the embedded server, a placeholder's objects
 * don't exist, and the `vector` types have different internal functions.
 */
import { quoteLiteral } from '../../../base/kernel/sql.ts';
import { type MissingExtensions, nameOf, tokensOf } from './extension-statement.ts';
import { missingExtensionOf } from './missing-extension.ts';

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
