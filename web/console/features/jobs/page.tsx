/** The Jobs pages, which show scheduled jobs, webhooks, requests from SQL, and queues. */
import { Link, Outlet } from '@tanstack/react-router';
import { PageHead } from '../../components/frame/page.tsx';
import tabStyles from '../../components/frame/tabs.module.css';
import { t } from './text.ts';

const tabs = [
  { to: '/jobs/cron', label: 'jobs.cron' },
  { to: '/jobs/webhooks', label: 'jobs.webhooks' },
  { to: '/jobs/requests', label: 'jobs.requests' },
  { to: '/jobs/queues', label: 'jobs.queues' },
] as const;

export function JobsPage() {
  return (
    <>
      <PageHead title={t('nav.jobs')} />
      <nav className={tabStyles.tabs} aria-label={t('jobs.parts')}>
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
