import type { Queryable } from '../../database/types.ts';

/** Runs statements, either in a transaction or each in a transaction of its own. */
export type StatementRunner = Pick<Queryable, 'query'>;
