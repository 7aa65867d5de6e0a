/** Where a token's claims hold the role: a path of keys and indexes, as `jwt-role-claim-key` writes it. */

export type ClaimPath = readonly (string | number)[];

export const DEFAULT_ROLE_CLAIM: ClaimPath = ['role'];

const STEP = /\.([\p{L}\p{N}_$@-]+)|\.?"((?:[^"\\]|\\.)*)"|\[(\d+)\]|\[['"]((?:[^'"\\]|\\.)*)['"]\]/uy;

/**
 * `$.role`, `.app_metadata.roles[0]`, `$["my key"]`; undefined when it is none of that.
 *
 * @example
 * readClaimPath('$.app_metadata.roles[0]'); // ['app_metadata', 'roles', 0]
 */
export function readClaimPath(text: string): ClaimPath | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = text.startsWith('$') ? 1 : 0;
  while (STEP.lastIndex < text.length) {
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [, plain, quoted, index, bracketed] = found;
    if (index !== undefined) path.push(Number(index));
    else path.push((plain ?? quoted ?? bracketed ?? '').replaceAll(/\\(.)/g, '$1'));
  }
  return path.length === 0 ? undefined : path;
}

/** The value at the path as text; undefined when there is none. */
export function claimAt(claims: Readonly<Record<string, unknown>>, path: ClaimPath): string | undefined {
  let value: unknown = claims;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
