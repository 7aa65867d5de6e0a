/** How long a statement of the grid may run, and what it may do. */
import type { Setting, TransactionOptions } from '../../database/types.ts';

/** An operator waits no longer than this for rows or counts, and never keeps the database busy for longer. */
const statementTimeout: Setting = ['statement_timeout', '20000'];
const longTimeout: Setting = ['statement_timeout', '600000'];

/** Rows without an order come as they lie in the table, from its beginning and by one process. */
const asTheyLie: readonly Setting[] = [
  ['synchronize_seqscans', 'off'],
  ['max_parallel_workers_per_gather', '0'],
];

/** Functions behind views and operators change nothing while somebody only looks. */
export const reading: TransactionOptions = { readOnly: true, settings: [statementTimeout] };
export const readingInPlace: TransactionOptions = {
  readOnly: true,
  settings: [statementTimeout, ...asTheyLie],
};
export const writing: TransactionOptions = { settings: [statementTimeout] };
/** Exports, imports and changes of many rows. */
export const readingLong: TransactionOptions = { readOnly: true, settings: [longTimeout, ...asTheyLie] };
export const writingLong: TransactionOptions = { settings: [longTimeout] };
