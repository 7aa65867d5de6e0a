/** Moves between pages. The position of a page in the list isn't known, so the pager shows only the number of users. */
import { Button } from '@mantine/core';
import type { UserCount } from '../../../../src/pages/console/users/contract.ts';
import list from '../../components/list.module.css';
import { t } from './text.ts';

export function UserPager({
  total,
  previous,
  next,
  onPage,
}: {
  total: UserCount | undefined;
  previous: string | null;
  next: string | null;
  onPage: (place: { readonly before: string } | { readonly after: string }) => void;
}) {
  return (
    <nav className={list.pager} aria-label={t('pager.label')}>
      <span role="status">
        {total === undefined ? '' : t(`users.count-${total.precision}`, { count: total.count })}
      </span>
      {previous === null && next === null ? null : (
        <span className={list.pages}>
          <Button
            size="compact-sm"
            variant="default"
            disabled={previous === null}
            onClick={() => previous !== null && onPage({ before: previous })}
          >
            {t('pager.previous')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={next === null}
            onClick={() => next !== null && onPage({ after: next })}
          >
            {t('pager.next')}
          </Button>
        </span>
      )}
    </nav>
  );
}
