/** Validates the policies page's search parameters. */
import { type AsSearch, validateAs } from '../../components/persona/persona.ts';

export interface PolicySearch extends AsSearch {
  readonly filter?: string;
  readonly view?: 'tables' | 'matrix';
  /** `off` lists tables without row-level security, and `bare` lists tables without policies. */
  readonly show?: 'off' | 'bare';
  readonly schema?: string;
  /** The only table to list, as `schema.table`. */
  readonly only?: string;
  readonly page?: number;
  /** The table of the open policy, as `schema.table`. */
  readonly table?: string;
  readonly policy?: string;
  /** Whether a new policy is being created. */
  readonly isNew?: true;
}

export function validatePolicySearch(search: Readonly<Record<string, unknown>>): PolicySearch {
  const { filter, view, show, schema, only, table, policy } = search;
  const page = Number(search.page);
  return {
    ...validateAs(search),
    ...(typeof filter === 'string' && filter !== '' ? { filter } : {}),
    ...(view === 'matrix' || view === 'tables' ? { view } : {}),
    ...(show === 'off' || show === 'bare' ? { show } : {}),
    ...(typeof schema === 'string' && schema !== '' ? { schema } : {}),
    ...(typeof only === 'string' && only !== '' ? { only } : {}),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
    ...(typeof table === 'string' ? { table } : {}),
    ...(policy === undefined ? {} : { policy: String(policy) }),
    ...(search.isNew === true ? { isNew: true as const } : {}),
  };
}
