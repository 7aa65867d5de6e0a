/** The timeouts and access modes of the grid's statements. */
import type { Setting, TransactionOptions } from '../../database/types.ts';

/** The timeout for reading rows and counts. */
const statementTimeout: Setting = ['statement_timeout', '20000'];
const longTimeout: Setting = ['statement_timeout', '600000'];

/** Rows without an order come as they lie in the table, from its beginning and by one process. */
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
