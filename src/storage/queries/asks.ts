import type { Queryable } from '../../database/types.ts';

/** What a statement needs: a transaction, or somewhere that makes one for it alone. */
export type Asks = Pick<Queryable, 'query'>;
