/**
 * Finds objects that may have been renamed. Only kinds of objects that contain data are considered, because other
 * objects can be dropped and recreated without loss.
 */
import type { Fact, FactBase, RenameCandidate, StableId } from '@supabase/pg-delta';
import { quoteIfNeeded } from '../../../operations/dump/index.ts';
import type { Rename } from '../types.ts';

/** The keyword after ALTER for each kind of object and, for parts such as columns, the keyword after RENAME. */
const words: Readonly<Record<string, readonly [alter: string, part?: string]>> = {
  schema: ['SCHEMA'],
  table: ['TABLE'],
  foreignTable: ['FOREIGN TABLE'],
  sequence: ['SEQUENCE'],
  type: ['TYPE'],
  domain: ['DOMAIN'],
  column: ['TABLE', 'COLUMN'],
  typeAttribute: ['TYPE', 'ATTRIBUTE'],
};

/** Whether the two objects have the same definition or are tables with the same columns. */
export function isPossibleRename(candidate: RenameCandidate, before: FactBase, after: FactBase): boolean {
  if (words[candidate.kind] === undefined) return false;
  if (candidate.status !== 'nearMiss') return true;
  if (candidate.kind !== 'table') return false;
  const columns = columnsOf(before, candidate.from);
  return columns !== '' && columns === columnsOf(after, candidate.to);
}

const columnsOf = (facts: FactBase, table: StableId): string =>
  facts
    .childrenOf(table)
    .filter(({ id }: Fact) => id.kind === 'column')
    .map((column) => `${'name' in column.id ? column.id.name : ''} ${column.payload.type}`)
    .toSorted()
    .join();

/**
 * Returns every pair of a removed object and an added object of the same kind, which the user can specify as a rename.
 */
export function conceivableRenames(before: FactBase, after: FactBase): Rename[] {
  const only = (facts: FactBase, other: FactBase): Fact[] =>
    facts.facts().filter(({ id, parent }) => {
      const isPart = parent !== undefined && !other.has(parent);
      return words[id.kind] !== undefined && !other.has(id) && !isPart;
    });
  const added = only(after, before);
  return only(before, after).flatMap((old) =>
    added
      .filter(({ id }) => id.kind === old.id.kind && ownerOf(id) === ownerOf(old.id))
      .map(({ id }) => renameOf({ kind: id.kind, from: old.id, to: id })),
  );
}

export function renameOf({ kind, from, to }: Pick<RenameCandidate, 'kind' | 'from' | 'to'>): Rename {
  const [alter = '', part] = words[kind] ?? [];
  const newName = 'name' in to && typeof to.name === 'string' ? quoteIfNeeded(to.name) : '';
  const statement =
    part === undefined
      ? `ALTER ${alter} ${nameOf(from)} RENAME TO ${newName}`
      : `ALTER ${alter} ${ownerOf(from)} RENAME ${part} ${lastOf(from)} TO ${newName}${part === 'ATTRIBUTE' ? ' CASCADE' : ''}`;
  const shown = part ?? alter;
  return { kind: shown.toLowerCase(), from: nameOf(from), to: nameOf(to), statement };
}

export const isSamePair = (a: Pick<Rename, 'from' | 'to'>, b: Pick<Rename, 'from' | 'to'>): boolean =>
  a.from === b.from && a.to === b.to;

const partsOf = (id: StableId): string[] => {
  const parts = [
    'schema' in id ? id.schema : undefined,
    'table' in id ? id.table : undefined,
    'type' in id ? id.type : undefined,
    'name' in id ? id.name : undefined,
  ];
  return parts.flatMap((part) => (typeof part === 'string' ? [quoteIfNeeded(part)] : []));
};

/** The name in SQL syntax, qualified with the schema and the table. */
const nameOf = (id: StableId): string => partsOf(id).join('.');
const ownerOf = (id: StableId): string => partsOf(id).slice(0, -1).join('.');
const lastOf = (id: StableId): string => partsOf(id).at(-1) ?? '';
