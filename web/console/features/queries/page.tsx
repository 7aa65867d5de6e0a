/** The Queries pages: statistics of statements, running statements, and advice. */
import { Link, Outlet } from '@tanstack/react-router';
import { PageHead } from '../../components/page.tsx';
import tabStyles from '../../components/tabs.module.css';
import { t } from './text.ts';

const tabs = [
  { to: '/queries/statements', label: 'queries.statements' },
  { to: '/queries/activity', label: 'queries.activity' },
  { to: '/queries/advice', label: 'queries.advice' },
] as const;

export function QueriesPage() {
  return (
    <>
      <PageHead title={t('nav.queries')} />
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
