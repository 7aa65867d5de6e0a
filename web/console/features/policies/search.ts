/** Validates the policies page's search parameters. */
import { type AsSearch, validateAs } from '../../components/persona.ts';

export interface PolicySearch extends AsSearch {
  readonly filter?: string;
  readonly view?: 'tables' | 'matrix';
  /** `schema.table` of the open policy. */
  readonly table?: string;
  readonly policy?: string;
  /** Whether a new policy is being created. */
  readonly isNew?: true;
}

export function validatePolicySearch(search: Readonly<Record<string, unknown>>): PolicySearch {
  const { filter, view, table, policy } = search;
  return {
    ...validateAs(search),
    ...(typeof filter === 'string' && filter !== '' ? { filter } : {}),
    ...(view === 'matrix' || view === 'tables' ? { view } : {}),
    ...(typeof table === 'string' ? { table } : {}),
    ...(policy === undefined ? {} : { policy: String(policy) }),
    ...(search.isNew === true ? { isNew: true as const } : {}),
  };
}
