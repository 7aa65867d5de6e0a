/** The timeouts and access modes of the grid's statements. */
import type { Setting, TransactionOptions } from '../../database/types.ts';

/** The timeout for reading rows and counts. */
const statementTimeout: Setting = ['statement_timeout', '20000'];
const longTimeout: Setting = ['statement_timeout', '600000'];

/** Returns unordered rows in physical order, from the beginning of the table and by a single process. */
const asTheyLie: readonly Setting[] = [
  ['synchronize_seqscans', 'off'],
  ['max_parallel_workers_per_gather', '0'],
];

/** Read-only, so that functions in views and operators can't change anything. */
export const reading: TransactionOptions = { readOnly: true, settings: [statementTimeout] };
export const readingInPlace: TransactionOptions = {
  readOnly: true,
  settings: [statementTimeout, ...asTheyLie],
};
export const writing: TransactionOptions = { settings: [statementTimeout] };
/** The timeout for exports, imports and bulk changes. */
export const readingLong: TransactionOptions = { readOnly: true, settings: [longTimeout, ...asTheyLie] };
export const writingLong: TransactionOptions = { settings: [longTimeout] };
