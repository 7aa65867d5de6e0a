import type { Queryable } from '../../../platform/database/types.ts';

/** Runs statements, either all in one transaction or each in a separate transaction. */
export type StatementRunner = Pick<Queryable, 'query'>;
