/** Matches the renames given on the command line with the possible renames that a comparison found. */
import type { Rename } from '../../../project/diff/index.ts';
import { UsageError } from '../command.ts';

export type RenamePair = Pick<Rename, 'from' | 'to'>;

/** Parses `old=new`. Quoted names can contain the equals sign. @throws {UsageError} */
export function parseRename(text: string): RenamePair {
  const name = '((?:"(?:[^"]|"")*"|[^"=])+)';
  const [, from, to] = new RegExp(`^${name}=${name}$`).exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--rename ${text}: write the old and the new name, such as public.notes=posts`);
  return { from: from.trim(), to: to.trim() };
}

/**
 * Returns the possible renames that match the given renames, and the given renames without a match. Names without a
 * schema refer to the schema `public`. The new name can omit the schema.
 * @example matchRenames([{ from: 'notes', to: 'posts' }], possible)
 */
export function matchRenames(
  given: readonly RenamePair[],
  possible: readonly Rename[],
): { readonly matched: Rename[]; readonly unmatched: RenamePair[] } {
  const matched: Rename[] = [];
  const unmatched: RenamePair[] = [];
  for (const pair of given) {
    const rename = possible.find(({ from, to }) => isOld(pair.from, from) && isNew(pair.to, to));
    if (rename === undefined) unmatched.push(pair);
    else matched.push(rename);
  }
  return { matched, unmatched };
}

const isOld = (given: string, name: string): boolean => name === given || name === `public.${given}`;
const isNew = (given: string, name: string): boolean => isOld(given, name) || lastOf(name) === given;
const lastOf = (name: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(name)?.[0] ?? name;
