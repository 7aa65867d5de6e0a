/** Shown on every page while a token with which the operator acts as a user is valid. */
import { IconUserExclamation } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { t } from '../../text.ts';
import classes from './impersonation-banner.module.css';

export const impersonationsQuery = queryOptions({
  queryKey: ['impersonations'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /impersonations', { signal })).impersonations,
  staleTime: Number.POSITIVE_INFINITY,
});

export function ImpersonationBanner() {
  const { data = [] } = useQuery(impersonationsQuery);
  const [now, setNow] = useState(() => Date.now());
  const next = Math.min(...data.map(({ expiresAt }) => Date.parse(expiresAt)).filter((at) => at > now));
  useEffect(() => {
    if (!Number.isFinite(next)) return;
    const timer = setTimeout(() => setNow(Date.now()), next - Date.now() + 50);
    return () => clearTimeout(timer);
  }, [next]);
  const [active] = data.filter(({ expiresAt }) => Date.parse(expiresAt) > now);
  if (active === undefined) return null;
  const time = new Date(active.expiresAt).toLocaleTimeString([], { timeStyle: 'short' });
  return (
    <aside className={classes.banner} aria-label={t('act.banner')}>
      <IconUserExclamation size={16} aria-hidden />
      <span>
        {t('act.banner-text', { time })}{' '}
        <Link to="/users" search={{ id: active.userId }} className={classes.name}>
          {active.name}
        </Link>
      </span>
    </aside>
  );
}
