import type { Queryable } from '../../database/types.ts';

/** Runs statements, either within a transaction or each in a separate one. */
export type StatementRunner = Pick<Queryable, 'query'>;
