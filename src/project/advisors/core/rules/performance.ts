import { quoteIdentifier } from '../../../../base/kernel/sql.ts';
import type { Catalog, ForeignKey, Index, PageStatistics } from '../../catalog.ts';
import type { Fix } from '../../types.ts';
import {
  arrayText,
  indexesOf,
  isUserRelation,
  isUserSchema,
  qualified,
  type Rule,
  relationOf,
  upstreamDocs,
} from '../rule.ts';

export const unindexedForeignKeys: Rule = {
  name: 'unindexed_foreign_keys',
  title: 'Unindexed foreign keys',
  level: 'INFO',
  category: 'PERFORMANCE',
  description:
    'No index starts with the columns of a foreign key. Joins scan the whole referencing table, and so does each DELETE or key change in the referenced table.',
  remediation: upstreamDocs('0001_unindexed_foreign_keys'),
  find: (catalog) =>
    catalog.foreignKeys
      .filter(({ schema, ownedByExtension }) => isUserSchema(schema) && !ownedByExtension)
      .filter((key) => !indexesOf(catalog, key.schema, key.table).some((index) => covers(index, key)))
      .map((key) => ({
        detail: `No index covers foreign key \`${key.name}\` of table \`${key.schema}.${key.table}\` (${key.columns.join(', ')}).`,
        metadata: {
          schema: key.schema,
          name: key.table,
          type: 'table',
          fkey_name: key.name,
          fkey_columns: key.columnNumbers,
        },
        key: [key.schema, key.table, key.name],
        affectedRows: relationOf(catalog, key.schema, key.table)?.rows,
        fix: {
          sql: `create index on ${qualified(key.schema, key.table)} (${key.columns.map(quoteIdentifier).join(', ')});`,
          note: 'Writes to the table wait until the index is built.',
        },
      })),
};

/**
 * Returns whether the first columns of the index are the columns of the key, in any order. Returns false for partial
 * indexes, because they don't contain all rows.
 */
const covers = (index: Index, { columnNumbers }: ForeignKey): boolean =>
  index.isValid &&
  !index.isPartial &&
  columnNumbers.every((number) => index.columnNumbers.slice(0, columnNumbers.length).includes(number));

const dropIndex = ({ schema, name }: Index): string => `drop index ${qualified(schema, name)};`;

/** The number of rows below which reading the whole table is as fast as using an index. */
const bigTableRows = 10_000;
const minFullScans = 100;

export const frequentFullScans: Rule = {
  name: 'frequent_full_scans',
  title: 'Frequent Full Scans',
  level: 'INFO',
  category: 'PERFORMANCE',
  description:
    'Since the statistics were last reset, most queries on this large table have read all of its rows. An index on the columns in their conditions speeds up queries that need few rows.',
  remediation: 'Find the statements on the Queries page, and check their plans for the missing index.',
  find: (catalog) =>
    catalog.relations
      .filter(isUserRelation)
      .filter(
        ({ rows, fullScans, indexScans }) =>
          rows !== null && rows >= bigTableRows && fullScans >= minFullScans && fullScans > indexScans,
      )
      .map(({ schema, name, rows, fullScans, indexScans }) => ({
        detail: `Table \`${schema}.${name}\` was read in full ${fullScans} times, and with an index ${indexScans} times.`,
        metadata: { schema, name, type: 'table', full_scans: fullScans, index_scans: indexScans },
        key: [schema, name],
        affectedRows: rows,
      })),
};

export const unusedIndex: Rule = {
  name: 'unused_index',
  title: 'Unused Index',
  level: 'INFO',
  category: 'PERFORMANCE',
  description:
    'No query has used the index since the statistics were last reset. The index takes up space and slows down every write.',
  remediation: upstreamDocs('0005_unused_index'),
  find: (catalog) =>
    catalog.indexes
      .filter(
        ({ schema, scans, isUnique, isPartitioned, ownedByConstraint }) =>
          isUserSchema(schema) && scans === 0 && !isUnique && !isPartitioned && !ownedByConstraint,
      )
      .map((index) => ({
        detail: `Index \`${index.name}\` of table \`${index.schema}.${index.table}\` hasn’t been used.`,
        metadata: {
          schema: index.schema,
          name: index.table,
          type: 'table',
          index: index.name,
          bytes: index.bytes,
        },
        key: [index.schema, index.table, index.name],
        affectedRows: relationOf(catalog, index.schema, index.table)?.rows,
        fix: {
          sql: dropIndex(index),
          note: 'Check first that the statistics cover a typical period and that no read replica uses the index.',
        },
      })),
};

export const duplicateIndex: Rule = {
  name: 'duplicate_index',
  title: 'Duplicate Index',
  level: 'WARN',
  category: 'PERFORMANCE',
  description: 'The table has identical indexes. Each of them takes up space and slows down every write.',
  remediation: upstreamDocs('0009_duplicate_index'),
  find: (catalog) =>
    [...groupsOfIdentical(catalog)].map((group) => {
      const [first] = group as [Index];
      const names = group.map(({ name }) => name).sort();
      const kind = relationOf(catalog, first.schema, first.table)?.kind ?? 'table';
      return {
        detail: `Table \`${first.schema}.${first.table}\` has identical indexes: ${names.join(', ')}. Keep one of them.`,
        metadata: { schema: first.schema, name: first.table, type: kind, indexes: names },
        key: [first.schema, first.table, arrayText(names)],
        affectedRows: relationOf(catalog, first.schema, first.table)?.rows,
        ...fixDuplicates(duplicatesOf(group)),
      };
    }),
};

function groupsOfIdentical(catalog: Catalog): Index[][] {
  const groups = Map.groupBy(
    catalog.indexes.filter(({ schema, table, isPartitioned }) => {
      const kind = relationOf(catalog, schema, table)?.kind;
      return isUserSchema(schema) && !isPartitioned && (kind === 'table' || kind === 'materialized view');
    }),
    ({ schema, table, definition }) => JSON.stringify([schema, table, definition]),
  );
  return [...groups.values()].filter((group) => group.length > 1);
}

const fixDuplicates = (duplicates: readonly Index[]): { readonly fix?: Fix } =>
  duplicates.length === 0
    ? {}
    : {
        fix: {
          sql: duplicates.map(dropIndex).join('\n'),
          note: 'The remaining index serves the same queries.',
        },
      };

/**
 * Returns the indexes that can be dropped. Keeps one valid index of each group of identical indexes, and all indexes
 * that belong to constraints or replica identities.
 */
function duplicatesOf(group: readonly Index[]): Index[] {
  const isBound = ({ ownedByConstraint, isReplicaIdentity }: Index) => ownedByConstraint || isReplicaIdentity;
  const free = group.filter((index) => !isBound(index));
  if (group.some((index) => isBound(index) && index.isValid)) return free;
  const kept = free.find(({ isValid }) => isValid) ?? free[0];
  return free.filter((index) => index !== kept);
}

export const noPrimaryKey: Rule = {
  name: 'no_primary_key',
  title: 'No Primary Key',
  level: 'INFO',
  category: 'PERFORMANCE',
  description:
    'Without a primary key, individual rows can’t be identified. Upserts, realtime changes and row editing in the Console require one.',
  remediation: upstreamDocs('0004_no_primary_key'),
  find: (catalog) =>
    catalog.relations
      .filter((table) => table.kind === 'table' && isUserRelation(table) && !table.hasPrimaryKey)
      .map((table) => ({
        detail: `Table \`${table.schema}.${table.name}\` has no primary key.`,
        metadata: { schema: table.schema, name: table.name, type: 'table' },
        key: [table.schema, table.name],
        affectedRows: table.rows,
      })),
};

const maxBloatRatio = 70;
const minWastedBytes = 20 * 1024 * 1024;

export const tableBloat: Rule = {
  name: 'table_bloat',
  title: 'Table Bloat',
  level: 'INFO',
  category: 'PERFORMANCE',
  description: 'Most of the table’s space is empty, so scans read much more data than necessary.',
  remediation: 'Run VACUUM FULL at a time when the table can be locked, and tune autovacuum for it.',
  find: (catalog) =>
    catalog.relations
      .filter(({ kind }) => kind === 'table')
      .flatMap((table) => {
        if (table.pages === null) return [];
        const needed = neededPages(table.pages, catalog.blockSize);
        const wasted = (table.pages.pages - needed) * catalog.blockSize;
        if (needed === 0 || table.pages.pages / needed <= maxBloatRatio || wasted <= minWastedBytes)
          return [];
        return {
          detail: `Table \`${table.schema}.${table.name}\` uses ${table.pages.pages} pages, although its rows fit into about ${needed}.`,
          metadata: { schema: table.schema, name: table.name, type: 'table' },
          key: [table.schema, table.name],
          affectedRows: table.rows,
        };
      }),
};

const tupleHeaderBytes = 23;
const alignment = 4;
const pageHeaderBytes = 20;

const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Estimates the number of pages that the rows need, based on the column statistics. */
export function neededPages(
  { tuples, dataWidth, maxNullFraction, nullableColumns }: PageStatistics,
  blockSize: number,
): number {
  const nullBitmap = maxNullFraction * aligned(tupleHeaderBytes + 1 + Math.floor(nullableColumns / 8));
  const row = aligned(dataWidth + aligned(tupleHeaderBytes)) + nullBitmap + alignment;
  return Math.ceil((tuples * row) / (blockSize - pageHeaderBytes));
}
