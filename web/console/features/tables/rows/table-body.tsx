/** Shows the rows of a table, or the reason why no rows are visible. */
import { Button } from '@mantine/core';
import { IconTableOff } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import type { RowView } from '../../../api/queries.ts';
import type { Relation } from '../../../api/types.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { lazyPart } from '../../../components/lazy-part.ts';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { t } from '../text.ts';
import classes from './table-page.module.css';
import type { Rows } from './use-rows.ts';

const HiddenRows = lazyPart(() => import('./hidden-rows.tsx'));

export function TableBody({
  rows,
  relation,
  view,
  canInsert,
  onInsert,
  onImport,
  onClear,
  children,
}: {
  rows: Rows;
  relation: Relation;
  view: RowView;
  canInsert: boolean;
  onInsert: () => void;
  onImport: () => void;
  onClear: () => void;
  children: ReactNode;
}) {
  if (rows.error !== null && rows.total.rows === 0)
    return (
      <div className={classes.problem}>
        <ProblemBox error={rows.error} title={t('tables.rows-failed')} />
      </div>
    );
  if (rows.isFirstLoad) return <SkeletonLines lines={12} />;
  if (rows.total.rows > 0) return children;
  const hasFilters = view.filters.length > 0;
  return (
    <div className={classes.none}>
      {view.as === undefined ? (
        <EmptyState
          icon={<IconTableOff size={22} stroke={1.75} />}
          title={t(hasFilters ? 'rows.no-match-title' : 'rows.none-title')}
          text={t(hasFilters ? 'rows.no-match-text' : canInsert ? 'rows.none-text' : 'rows.none-read-only')}
        >
          {hasFilters ? (
            <Button variant="default" size="sm" onClick={onClear}>
              {t('filter.clear')}
            </Button>
          ) : canInsert ? (
            <div className={classes.links}>
              <Button size="sm" onClick={onInsert}>
                {t('tables.insert')}
              </Button>
              <Button size="sm" variant="default" onClick={onImport}>
                {t('transfer.import')}
              </Button>
            </div>
          ) : null}
        </EmptyState>
      ) : (
        <Suspense fallback={null}>
          <HiddenRows relation={relation} view={{ ...view, as: view.as }} onClear={onClear} />
        </Suspense>
      )}
    </div>
  );
}
