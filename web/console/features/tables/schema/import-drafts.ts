/** Determines the columns of a new table whose rows come from a file. This module doesn't depend on React. */
import type { InferredColumn, SchemaChange, Vocabulary } from './api.ts';
import { definitionOf, emptyColumn, firstColumns } from './drafts.ts';

export interface FileColumn {
  /** The column's name in the file. */
  readonly source: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** Whether the column is part of the table. */
  readonly isUsed: boolean;
}

/** The primary key, which is a new numbered column, the file's column with the name `source`, or none. */
export type KeyChoice =
  | { readonly kind: 'new' | 'none' }
  | { readonly kind: 'column'; readonly source: string };

export interface FileTableDraft {
  readonly schema: string;
  readonly name: string;
  readonly rls: boolean;
  readonly columns: readonly FileColumn[];
  readonly key: KeyChoice;
}

/**
 * Returns a name that doesn't need quotes in SQL.
 * @example
 * plainName('First Name (EN)'); // 'first_name_en'
 */
export function plainName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return (/^\d/.test(name) ? `_${name}` : name).slice(0, 63);
}

/** Returns a draft for the columns of a file. */
export function draftOfFile(
  fileName: string,
  schema: string,
  inferred: readonly InferredColumn[],
): FileTableDraft {
  const taken = new Set<string>();
  const columns = inferred.map((column, index): FileColumn => {
    const wanted = plainName(column.name) || `column_${index + 1}`;
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    return { source: column.name, name, type: column.type, nullable: true, isUsed: true };
  });
  const keyed = inferred.find(({ unique }, index) => unique && columns[index]?.name === 'id');
  return {
    schema,
    name: plainName(fileName.replace(/\.[^.]*$/, '')),
    rls: true,
    columns,
    key:
      keyed === undefined
        ? { kind: taken.has('id') ? 'none' : 'new' }
        : { kind: 'column', source: keyed.name },
  };
}

export type CreateTable = Extract<SchemaChange, { kind: 'create_table' }>;

/** Returns the table and the mapping, or undefined if a name or type is missing or a name is used twice. */
export function changeOfFile(
  { schema, name, rls, columns, key }: FileTableDraft,
  vocabulary: Vocabulary,
): { readonly change: CreateTable; readonly mapping: Readonly<Record<string, string>> } | undefined {
  const used = columns.filter(({ isUsed }) => isUsed);
  const keyName = key.kind === 'column' ? used.find(({ source }) => source === key.source)?.name : undefined;
  const [number] = key.kind === 'new' ? firstColumns : [];
  const drafts = [
    ...(number === undefined ? [] : [number]),
    ...used.map(({ name: column, type, nullable }) => ({
      ...emptyColumn,
      name: column,
      type,
      nullable,
      primary: column === keyName,
    })),
  ];
  const definitions = drafts
    .map((column) => definitionOf(column, vocabulary))
    .filter((each) => each !== undefined);
  const names = new Set(drafts.map((column) => column.name));
  const isComplete = name !== '' && used.length > 0 && definitions.length === drafts.length;
  if (!isComplete || names.size !== drafts.length) return undefined;
  const primary = number?.name ?? keyName;
  return {
    change: {
      kind: 'create_table',
      schema,
      table: name,
      columns: definitions,
      constraints: primary === undefined ? [] : [{ kind: 'primary key', columns: [primary] }],
      rls,
    },
    mapping: Object.fromEntries(used.map(({ source, name: column }) => [source, column])),
  };
}
