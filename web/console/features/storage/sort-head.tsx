import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FileSort } from './api.ts';
import classes from './folder-view.module.css';

const route = getRouteApi('/app/storage');

/** A column header that sorts the files on the server. Pressing the header again reverses the order. */
export function SortHead({
  sort,
  className,
  children,
}: {
  sort: FileSort;
  className?: string | undefined;
  children: ReactNode;
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isSorted = (search.sort ?? 'name') === sort;
  const order = search.order ?? 'asc';
  // By default, names are sorted from A to Z, sizes from largest to smallest, and times from newest to oldest.
  const next = isSorted ? (order === 'asc' ? 'desc' : 'asc') : sort === 'name' ? 'asc' : 'desc';
  const Arrow = order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className={classes.sort}
        onClick={() =>
          void navigate({
            search: ({ sort: _sort, order: _order, ...rest }) => ({
              ...rest,
              ...(sort === 'name' ? {} : { sort }),
              ...(next === 'asc' ? {} : { order: next }),
            }),
            replace: true,
          })
        }
      >
        {children}
        {isSorted ? <Arrow size={13} aria-hidden /> : null}
      </button>
    </th>
  );
}
