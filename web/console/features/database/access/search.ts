/** The search parameters of the pages about roles and privileges. */
import { type ObjectSearch, validateObjectSearch } from '../list-search.ts';

export const objectKinds = ['relations', 'functions', 'sequences', 'schemas'] as const;
export type ObjectKinds = (typeof objectKinds)[number];

export interface GrantsSearch extends ObjectSearch {
  /** Tables and views if undefined. */
  readonly kind?: Exclude<ObjectKinds, 'relations'>;
  /** The only role whose column is shown, or `*` for all roles. The API's roles and the project's roles if undefined. */
  readonly role?: string;
  /** The role whose privileges on the open object are shown. */
  readonly of?: string;
}

export function validateGrantsSearch(search: Readonly<Record<string, unknown>>): GrantsSearch {
  const text = (name: 'role' | 'of') => {
    const value = search[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number'
      ? { [name]: String(value) }
      : {};
  };
  const kind = objectKinds.find((each) => each === search.kind);
  return {
    ...validateObjectSearch(search),
    ...text('role'),
    ...text('of'),
    ...(kind === undefined || kind === 'relations' ? {} : { kind }),
  };
}

export interface RolesSearch {
  readonly filter?: string;
  readonly open?: string;
}

export function validateRolesSearch(search: Readonly<Record<string, unknown>>): RolesSearch {
  const { filter, open } = validateObjectSearch(search);
  return { ...(filter === undefined ? {} : { filter }), ...(open === undefined ? {} : { open }) };
}
