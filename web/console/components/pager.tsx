import { Button } from '@mantine/core';
import { t } from '../text.ts';
import classes from './list.module.css';

export function Pager({
  page,
  perPage,
  total,
  onPage,
}: {
  page: number;
  perPage: number;
  total: number;
  onPage: (page: number) => void;
}) {
  const first = (page - 1) * perPage + 1;
  const last = Math.min(page * perPage, total);
  return (
    <nav className={classes.pager} aria-label={t('pager.label')}>
      <span role="status">{total === 0 ? t('pager.none') : t('pager.range', { first, last, total })}</span>
      {total <= perPage ? null : (
        <span className={classes.pages}>
          <Button size="compact-sm" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {t('pager.previous')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={last >= total}
            onClick={() => onPage(page + 1)}
          >
            {t('pager.next')}
          </Button>
        </span>
      )}
    </nav>
  );
}
