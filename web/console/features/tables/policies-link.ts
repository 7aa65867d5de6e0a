import type { Relation } from '../../api/types.ts';

/**
 * Returns the search parameters with which the policies page shows only this table. If no policy allows access yet, the
 * form for a new policy is also opened.
 */
export function policiesOf({ schema, name, rls, policies }: Relation, mayWrite: boolean) {
  const table = `${schema}.${name}`;
  return rls && policies === 0 && mayWrite ? { only: table, table, isNew: true as const } : { only: table };
}
