/**
 * The Queries pages, which show statement statistics and running statements. Advice about the schema is on the Advisors
 * page.
 */
import { Link, Outlet } from '@tanstack/react-router';
import { PageHead } from '../../components/frame/page.tsx';
import tabStyles from '../../components/frame/tabs.module.css';
import classes from './queries.module.css';
import { t } from './text.ts';

const tabs = [
  { to: '/queries/statements', label: 'queries.statements' },
  { to: '/queries/history', label: 'history.title' },
  { to: '/queries/activity', label: 'queries.activity' },
] as const;

export function QueriesPage() {
  return (
    <>
      <PageHead title={t('nav.queries')}>
        <Link to="/advisors" search={{ type: 'performance' }} className={classes.link}>
          {t('queries.advisors')}
        </Link>
      </PageHead>
      <nav className={tabStyles.tabs} aria-label={t('queries.parts')}>
        {tabs.map(({ to, label }) => (
          <Link key={to} to={to} className={tabStyles.tab} activeOptions={{ includeSearch: false }}>
            {t(label)}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
