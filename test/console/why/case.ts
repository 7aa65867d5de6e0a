/**
 * Defines a case, which consists of a request and the correct explanation. The Console explains each request, and the
 * tests send the same request to REST for comparison.
 */

export const ada = '11111111-1111-4111-8111-111111111111';
export const eve = '22222222-2222-4222-8222-222222222222';

export type Cells = Record<string, string | null>;
export interface Case {
  readonly what: string;
  /** The claims of the persona. Undefined means anon. */
  readonly as?: Record<string, unknown>;
  readonly operation: 'select' | 'insert' | 'update' | 'delete';
  readonly table: string;
  readonly key?: Cells;
  readonly values?: Cells;
  /** The values that the REST request writes, if the question doesn't contain them. */
  readonly sent?: Cells;
  readonly returned?: string[];
  readonly verdict: 'allowed' | 'hidden' | 'refused';
  readonly reason: string;
  /** Whether the explanation differs from the database's behavior because it doesn't consider constraints. */
  readonly disagrees?: true;
}

export const user = (sub: string, more: object = {}) => ({ role: 'authenticated', sub, ...more });
export const row = (id: number) => ({ key: { id: String(id) } });
