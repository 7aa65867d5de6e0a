import { IconTableOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../../../lib/api.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { t } from '../text.ts';
import classes from './table-page.module.css';

/** Shown in place of a table that can't be loaded. If the table doesn't exist, links to the list. */
export function TableProblem({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.code === 'not_found')
    return (
      <EmptyState
        isPage
        icon={<IconTableOff size={22} />}
        title={t('missing-table.title')}
        text={error.message}
      >
        <Link to="/tables">{t('missing-table.back')}</Link>
      </EmptyState>
    );
  return (
    <div className={classes.problem}>
      <ProblemBox error={error} />
    </div>
  );
}
