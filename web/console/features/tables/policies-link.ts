import type { Relation } from '../../api/types.ts';

/**
 * Returns the search parameters with which the policies page shows only this table. If policies don't allow any access
 * yet, the form for a new policy is open.
 */
export function policiesOf({ schema, name, rls, policies }: Relation, mayWrite: boolean) {
  const table = `${schema}.${name}`;
  return rls && policies === 0 && mayWrite ? { only: table, table, isNew: true as const } : { only: table };
}
