/** The timeouts and access modes of the statements that the grid uses. */
import type { Setting, TransactionOptions } from '../../../platform/database/types.ts';

const statementTimeout: Setting = ['statement_timeout', '20000'];
/** The timeout for results that the operator waits for while typing. */
const shortTimeout: Setting = ['statement_timeout', '5000'];
const longTimeout: Setting = ['statement_timeout', '600000'];

/**
 * Settings that make PostgreSQL read unordered rows in a single process, in the order in which they are stored, from
 * the beginning of the table.
 */
const asTheyLie: readonly Setting[] = [
  ['synchronize_seqscans', 'off'],
  ['max_parallel_workers_per_gather', '0'],
];

/** The transaction is read-only so that functions behind views and SQL operators can't change anything. */
export const reading: TransactionOptions = { readOnly: true, settings: [statementTimeout] };
export const readingShort: TransactionOptions = { readOnly: true, settings: [shortTimeout] };
export const readingInPlace: TransactionOptions = {
  readOnly: true,
  settings: [statementTimeout, ...asTheyLie],
};
export const writing: TransactionOptions = { settings: [statementTimeout] };
/**
 * A read-only transaction with a longer timeout, for exports. The transactions for imports and bulk changes have the
 * same timeout.
 */
export const readingLong: TransactionOptions = { readOnly: true, settings: [longTimeout, ...asTheyLie] };
export const writingLong: TransactionOptions = { settings: [longTimeout] };
