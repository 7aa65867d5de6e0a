/** Reads and writes the filters, the order and the position in the URL of the users page. */
import type { Address } from '../../api/route.ts';

export const choices = ['confirmed', 'invited', 'banned', 'factor', 'guest', 'sso', 'signedIn'] as const;
export const dates = ['createdFrom', 'createdTo', 'seenFrom', 'seenTo'] as const;
export const sorts = ['created', 'seen', 'email'] as const;

export type Choice = (typeof choices)[number];
export type DateField = (typeof dates)[number];
export type Sort = (typeof sorts)[number];

export type UsersSearch = {
  readonly search?: string;
  readonly provider?: string;
  /** The default is `created`. */
  readonly sort?: Sort;
  /** The default is `desc`. */
  readonly order?: 'asc' | 'desc';
  readonly after?: string;
  readonly before?: string;
  /** The ID of the user in the panel. */
  readonly id?: string;
} & { readonly [Name in Choice]?: 'yes' | 'no' } & {
  /** A day in the local time zone, such as `2026-05-31`. The range includes its first and its last day. */
  readonly [Name in DateField]?: string;
};

const day = /^\d{4}-\d\d-\d\d$/;

/** Drops invalid parameters. */
export function validateUsersSearch(search: Record<string, unknown>): UsersSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'number'
      ? String(value)
      : typeof value === 'string' && value !== ''
        ? value
        : undefined;
  };
  const valid: Record<string, string | undefined> = {
    search: text('search'),
    provider: text('provider'),
    sort: sorts.find((sort) => sort === search.sort),
    order: search.order === 'asc' ? 'asc' : undefined,
    after: text('after'),
    before: text('before'),
    id: text('id'),
  };
  for (const name of choices)
    valid[name] = search[name] === 'yes' || search[name] === 'no' ? search[name] : undefined;
  for (const name of dates) valid[name] = day.test(text(name) ?? '') ? text(name) : undefined;
  return Object.fromEntries(Object.entries(valid).filter(([, value]) => value !== undefined));
}

/** Removes the position and the open user, because they don't apply to a list with other filters. */
export const filtersOf = ({
  id: _id,
  after: _after,
  before: _before,
  ...filters
}: UsersSearch): UsersSearch => filters;

/**
 * Replaces the search text. The open user stays open, because the operator may have opened the user after typing the
 * text.
 */
export const withText = ({ id, search: _previous, ...rest }: UsersSearch, text: string): UsersSearch => ({
  ...filtersOf(rest),
  ...(text === '' ? {} : { search: text }),
  ...(id === undefined ? {} : { id }),
});

export const countFilters = ({
  sort: _sort,
  order: _order,
  search: _search,
  ...filters
}: UsersSearch): number => Object.keys(filtersOf(filters)).length;

export type UsersQuery = NonNullable<Address<'GET /users'>['query']>;

/** Converts dates to timestamps, because the operator's time zone is available only in the browser. */
export function queryOf({ id: _id, ...search }: UsersSearch): UsersQuery {
  const times = Object.fromEntries(
    dates.flatMap((name) => {
      const at = search[name];
      return at === undefined ? [] : [[name, midnight(at, name.endsWith('To') ? 1 : 0)]];
    }),
  );
  return { ...search, ...times };
}

/** Returns the filters and the order without the position. */
export const selectionOf = (search: UsersSearch): UsersQuery => queryOf(filtersOf(search));

function midnight(date: string, daysLater: number): string {
  const [year = 0, month = 1, dayOfMonth = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, dayOfMonth + daysLater).toISOString();
}
