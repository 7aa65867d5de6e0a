/** The timeouts and access modes for the grid's statements. */
import type { Setting, TransactionOptions } from '../../database/types.ts';

const statementTimeout: Setting = ['statement_timeout', '20000'];
/** This timeout is short because the operator waits for these results while typing. */
const shortTimeout: Setting = ['statement_timeout', '5000'];
const longTimeout: Setting = ['statement_timeout', '600000'];

/**
 * Settings with which a single process reads unordered rows in physical order from the beginning of the table.
 */
const asTheyLie: readonly Setting[] = [
  ['synchronize_seqscans', 'off'],
  ['max_parallel_workers_per_gather', '0'],
];

/** The transaction is read-only, so that the functions behind views and SQL operators can't change anything. */
export const reading: TransactionOptions = { readOnly: true, settings: [statementTimeout] };
export const readingShort: TransactionOptions = { readOnly: true, settings: [shortTimeout] };
export const readingInPlace: TransactionOptions = {
  readOnly: true,
  settings: [statementTimeout, ...asTheyLie],
};
export const writing: TransactionOptions = { settings: [statementTimeout] };
/** A read-only transaction for exports, with a longer timeout. Imports and bulk changes have the same timeout. */
export const readingLong: TransactionOptions = { readOnly: true, settings: [longTimeout, ...asTheyLie] };
export const writingLong: TransactionOptions = { settings: [longTimeout] };
