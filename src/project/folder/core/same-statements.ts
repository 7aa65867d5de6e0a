/**
 * Whether two lists of statements are equal, apart from differences in whitespace and final semicolons.
 *
 * @example sameStatements(['select  1;'], ['select 1']); // true
 */
export const sameStatements = (one: readonly string[], other: readonly string[]): boolean =>
  plain(one) === plain(other);

const plain = (statements: readonly string[]): string =>
  statements.map((text) => text.replace(/;\s*$/, '').replaceAll(/\s+/g, ' ').trim()).join(';');
